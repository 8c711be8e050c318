import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { FavouritesController } from '../favourites/favourites.controller.js';
import { ProfilesModule } from '../profiles/profiles.module.js';
import { TagsModule } from '../tags/tags.module.js';
import { Article } from './article.entity.js';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Article]), AuthModule, ProfilesModule, TagsModule],
  controllers: [ArticlesController, FavouritesController],
  providers: [ArticlesService],
  exports: [ArticlesService],
})
export class ArticlesModule {}
