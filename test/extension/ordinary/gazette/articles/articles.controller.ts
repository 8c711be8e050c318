import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../auth/current-user.decorator.js';
import { JwtGuard } from '../auth/jwt.guard.js';
import { OptionalJwtGuard } from '../auth/optional-jwt.guard.js';
import { ArticlesService } from './articles.service.js';
import { CreateArticleDto } from './dto/create-article.dto.js';
import { ListArticlesDto, PageDto } from './dto/list-articles.dto.js';
import { UpdateArticleDto } from './dto/update-article.dto.js';
import { SlugPipe } from './slug.pipe.js';

@ApiTags('articles')
@Controller('articles')
export class ArticlesController {
  constructor(private readonly articles: ArticlesService) {}

  @Get()
  @UseGuards(OptionalJwtGuard)
  findAll(@Query() query: ListArticlesDto, @CurrentUser('id') viewerId?: number) {
    return this.articles.findAll(query, viewerId);
  }

  @Get('feed')
  @UseGuards(JwtGuard)
  feed(@Query() page: PageDto, @CurrentUser('id') viewerId: number) {
    return this.articles.feed(page, viewerId);
  }

  @Get('titles')
  @Header('Content-Type', 'text/csv')
  @Header('Cache-Control', 'public, max-age=30')
  async titles() {
    const { articles } = await this.articles.findAll({ limit: 100, offset: 0 });
    return articles.map(({ slug, title }) => `${slug},"${title.replaceAll('"', '""')}"`).join('\n');
  }

  @Get(':slug')
  @UseGuards(OptionalJwtGuard)
  async findOne(@Param('slug', SlugPipe) slug: string, @CurrentUser('id') viewerId?: number) {
    return { article: await this.articles.findOne(slug, viewerId) };
  }

  @Get(':slug/text')
  async text(@Param('slug', SlugPipe) slug: string) {
    const { body } = await this.articles.require(slug);
    return new StreamableFile(Buffer.from(body), {
      type: 'text/plain; charset=utf-8',
      disposition: `attachment; filename="${slug}.txt"`,
    });
  }

  @Post()
  @UseGuards(JwtGuard)
  async create(@Body('article') article: CreateArticleDto, @CurrentUser('id') viewerId: number) {
    return { article: await this.articles.create(article, viewerId) };
  }

  @Put(':slug')
  @UseGuards(JwtGuard)
  async update(
    @Param('slug', SlugPipe) slug: string,
    @Body('article') changes: UpdateArticleDto,
    @CurrentUser('id') viewerId: number,
  ) {
    return { article: await this.articles.update(slug, changes, viewerId) };
  }

  @Delete(':slug')
  @HttpCode(204)
  @UseGuards(JwtGuard)
  remove(@Param('slug', SlugPipe) slug: string, @CurrentUser('id') viewerId: number) {
    return this.articles.remove(slug, viewerId);
  }
}
