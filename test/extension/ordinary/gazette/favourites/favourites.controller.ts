import { Controller, Delete, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ArticlesService } from '../articles/articles.service.js';
import { SlugPipe } from '../articles/slug.pipe.js';
import { CurrentUser } from '../auth/current-user.decorator.js';
import { JwtGuard } from '../auth/jwt.guard.js';

@ApiTags('favourites')
@Controller('articles/:slug/favourite')
@UseGuards(JwtGuard)
export class FavouritesController {
  constructor(private readonly articles: ArticlesService) {}

  @Post()
  @HttpCode(200)
  async create(@Param('slug', SlugPipe) slug: string, @CurrentUser('id') viewerId: number) {
    return { article: await this.articles.setFavourite(slug, viewerId, true) };
  }

  @Delete()
  async remove(@Param('slug', SlugPipe) slug: string, @CurrentUser('id') viewerId: number) {
    return { article: await this.articles.setFavourite(slug, viewerId, false) };
  }
}
