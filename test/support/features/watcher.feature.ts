import { Injectable, Module, type MiddlewareConsumer, type NestMiddleware, type NestModule } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import type { NextFunction, Request, Response } from 'express';

/** Sets a header on every answer that it sees. */
@Injectable()
class Watch implements NestMiddleware {
  use(_request: Request, response: Response, next: NextFunction): void {
    response.setHeader('X-Watched', 'yes');
    next();
  }
}

/** Middleware that changes the query as the request asks. */
function meddle(request: Request, _response: Response, next: NextFunction): void {
  const way = request.headers['x-meddle'];
  if (way === 'assign') (request as { query: unknown }).query = { limit: '1' };
  if (way === 'define') Object.defineProperty(request, 'query', { value: { limit: '1' } });
  if (way === 'url') request.url = request.url.replace(/\?.*$/, '?limit=1');
  next();
}

@Module({})
class WatcherModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(Watch, meddle).forRoutes('{*path}');
  }
}

export const watcher = defineFeature({ name: 'watcher', platform: '^1.0.0', module: WatcherModule });
