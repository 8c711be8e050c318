import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { SlugPipe } from '../articles/slug.pipe.js';
import { CurrentUser } from '../auth/current-user.decorator.js';
import { JwtGuard } from '../auth/jwt.guard.js';
import { OptionalJwtGuard } from '../auth/optional-jwt.guard.js';
import { CommentsService } from './comments.service.js';
import { CommentParams } from './dto/comment-params.dto.js';
import { CreateCommentDto } from './dto/create-comment.dto.js';

@ApiTags('comments')
@Controller('articles/:slug/comments')
export class CommentsController {
  constructor(private readonly comments: CommentsService) {}

  @Get()
  @UseGuards(OptionalJwtGuard)
  async findAll(@Param('slug', SlugPipe) slug: string, @CurrentUser('id') viewerId?: number) {
    return { comments: await this.comments.findAll(slug, viewerId) };
  }

  @Post()
  @UseGuards(JwtGuard)
  async create(
    @Param('slug', SlugPipe) slug: string,
    @Body('comment') comment: CreateCommentDto,
    @CurrentUser('id') viewerId: number,
  ) {
    return { comment: await this.comments.create(slug, comment, viewerId) };
  }

  @Delete(':id')
  @HttpCode(204)
  @UseGuards(JwtGuard)
  remove(@Param() params: CommentParams, @CurrentUser('id') viewerId: number) {
    return this.comments.remove(params, viewerId);
  }
}
