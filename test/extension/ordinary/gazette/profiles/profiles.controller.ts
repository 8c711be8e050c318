import { Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../auth/current-user.decorator.js';
import { JwtGuard } from '../auth/jwt.guard.js';
import { OptionalJwtGuard } from '../auth/optional-jwt.guard.js';
import { ProfilesService } from './profiles.service.js';

@ApiTags('profiles')
@Controller('profiles/:username')
export class ProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get()
  @UseGuards(OptionalJwtGuard)
  async findOne(@Param('username') username: string, @CurrentUser('id') viewerId?: number) {
    return { profile: await this.profiles.find(username, viewerId) };
  }

  @Post('follow')
  @HttpCode(200)
  @UseGuards(JwtGuard)
  async follow(@Param('username') username: string, @CurrentUser('id') viewerId: number) {
    return { profile: await this.profiles.follow(username, viewerId) };
  }

  @Delete('follow')
  @UseGuards(JwtGuard)
  async unfollow(@Param('username') username: string, @CurrentUser('id') viewerId: number) {
    return { profile: await this.profiles.unfollow(username, viewerId) };
  }
}
