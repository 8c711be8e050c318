import { ConflictException, Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, QueryFailedError, Repository } from 'typeorm';
import { TokensService } from '../auth/tokens.service.js';
import type { LoginDto } from './dto/login.dto.js';
import type { RegisterDto } from './dto/register.dto.js';
import type { UpdateUserDto } from './dto/update-user.dto.js';
import { hashPassword, isPassword } from './password.js';
import { User } from './user.entity.js';

@Injectable()
export class UsersService {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly tokens: TokensService,
    private readonly events: EventEmitter2,
  ) {}

  async register({ email, username, password }: RegisterDto): Promise<User> {
    await this.requireFree({ email, username });
    const user = this.users.create({ email, username, password: await hashPassword(password), bio: null, image: null });
    try {
      const saved = await this.users.save(user);
      this.events.emit('user.registered', saved);
      return saved;
    } catch (error) {
      // Another request was faster.
      if (error instanceof QueryFailedError) throw new ConflictException('Username or e-mail taken');
      throw error;
    }
  }

  async login({ email, password }: LoginDto): Promise<User> {
    const user = await this.users.findOneBy({ email, active: true });
    if (!user || !(await isPassword(password, user.password))) {
      throw new UnauthorizedException('E-mail or password is wrong');
    }
    return user;
  }

  async findById(id: number): Promise<User> {
    const user = await this.users.findOneBy({ id });
    if (!user) throw new NotFoundException(`User ${id} not found`);
    return user;
  }

  async findByName(username: string): Promise<User> {
    const user = await this.users.findOneBy({ username });
    if (!user) throw new NotFoundException(`User ${username} not found`);
    return user;
  }

  async update(id: number, { password, ...changes }: UpdateUserDto): Promise<User> {
    const user = await this.findById(id);
    await this.requireFree(changes, id);
    Object.assign(user, changes);
    if (password !== undefined) user.password = await hashPassword(password);
    return this.users.save(user);
  }

  async withToken(user: User) {
    return { user, token: await this.tokens.sign(user) };
  }

  private async requireFree({ email, username }: { email?: string; username?: string }, id = 0): Promise<void> {
    if (email !== undefined && (await this.users.existsBy({ email, id: Not(id) }))) {
      throw new ConflictException('E-mail taken');
    }
    if (username !== undefined && (await this.users.existsBy({ username, id: Not(id) }))) {
      throw new ConflictException('Username taken');
    }
  }
}
