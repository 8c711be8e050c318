import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActivityController } from './activity.controller.js';
import { ActivityService } from './activity.service.js';
import { Article } from './articles/article.entity.js';
import { ArticlesController } from './articles/articles.controller.js';
import { ArticlesModule } from './articles/articles.module.js';
import { CommentsModule } from './comments/comments.module.js';
import { EditionMiddleware } from './edition.middleware.js';
import { gazetteConfig } from './gazette.config.js';
import { ProfilesModule } from './profiles/profiles.module.js';
import { TagsModule } from './tags/tags.module.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    ConfigModule.forFeature(gazetteConfig),
    EventEmitterModule.forRoot(),
    ScheduleModule.forRoot(),
    TypeOrmModule.forFeature([Article]),
    UsersModule,
    ProfilesModule,
    ArticlesModule,
    CommentsModule,
    TagsModule,
  ],
  controllers: [ActivityController],
  providers: [ActivityService],
})
export class GazetteModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(EditionMiddleware).forRoutes(ArticlesController);
  }
}
