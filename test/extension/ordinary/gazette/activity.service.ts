import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { InjectRepository } from '@nestjs/typeorm';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Repository } from 'typeorm';
import { Article } from './articles/article.entity.js';
import { User } from './users/user.entity.js';

/** Counts what happens in the gazette. */
@Injectable()
export class ActivityService implements OnApplicationBootstrap {
  private readonly logger = new Logger(ActivityService.name);
  private published = 0;
  private registered = 0;

  constructor(@InjectRepository(Article) private readonly articles: Repository<Article>) {}

  async onApplicationBootstrap(): Promise<void> {
    this.published = await this.articles.count();
  }

  @OnEvent('article.published')
  onPublished({ slug }: Article): void {
    this.published += 1;
    this.logger.log(`published ${slug}`);
  }

  @OnEvent('user.registered')
  onRegistered({ username }: User): void {
    this.registered += 1;
    this.logger.log(`registered ${username}`);
  }

  @Cron(CronExpression.EVERY_HOUR)
  async recount(): Promise<void> {
    this.published = await this.articles.count();
  }

  read() {
    return { published: this.published, registered: this.registered };
  }
}
