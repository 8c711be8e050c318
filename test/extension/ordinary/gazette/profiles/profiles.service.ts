import { BadRequestException, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { User } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';
import { Follow } from './follow.entity.js';

export interface Profile {
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
  readonly following: boolean;
}

@Injectable()
export class ProfilesService {
  constructor(
    @InjectRepository(Follow) private readonly follows: Repository<Follow>,
    private readonly users: UsersService,
  ) {}

  async find(username: string, viewerId?: number): Promise<Profile> {
    return this.profileOf(await this.users.findByName(username), viewerId);
  }

  async profileOf({ id, username, bio, image }: User, viewerId?: number): Promise<Profile> {
    const following = viewerId !== undefined && (await this.follows.existsBy({ followerId: viewerId, followedId: id }));
    return { username, bio, image, following };
  }

  async follow(username: string, viewerId: number): Promise<Profile> {
    const user = await this.users.findByName(username);
    if (user.id === viewerId) throw new BadRequestException('Nobody follows themselves');
    await this.follows.save({ followerId: viewerId, followedId: user.id });
    return this.profileOf(user, viewerId);
  }

  async unfollow(username: string, viewerId: number): Promise<Profile> {
    const user = await this.users.findByName(username);
    await this.follows.delete({ followerId: viewerId, followedId: user.id });
    return this.profileOf(user, viewerId);
  }

  async followedBy(viewerId: number): Promise<number[]> {
    const follows = await this.follows.findBy({ followerId: viewerId });
    return follows.map(({ followedId }) => followedId);
  }
}
