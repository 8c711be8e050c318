import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Post,
  Put,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../auth/current-user.decorator.js';
import { JwtGuard } from '../auth/jwt.guard.js';
import { LoginDto } from './dto/login.dto.js';
import { RegisterDto } from './dto/register.dto.js';
import { UpdateUserDto } from './dto/update-user.dto.js';
import { UsersService } from './users.service.js';

@ApiTags('users')
@Controller()
@UseInterceptors(ClassSerializerInterceptor)
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Post('users')
  async register(@Body('user') user: RegisterDto) {
    return this.users.withToken(await this.users.register(user));
  }

  @Post('users/login')
  @HttpCode(HttpStatus.OK)
  async login(@Body('user') user: LoginDto) {
    return this.users.withToken(await this.users.login(user));
  }

  @Get('user')
  @UseGuards(JwtGuard)
  async current(@CurrentUser('id') id: number) {
    return { user: await this.users.findById(id) };
  }

  @Put('user')
  @UseGuards(JwtGuard)
  async update(@CurrentUser('id') id: number, @Body('user') changes: UpdateUserDto) {
    return { user: await this.users.update(id, changes) };
  }
}
