import {
  ConflictException,
  Controller,
  Delete,
  Get,
  Module,
  Post,
  Req,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import { defineFeature, Public, RequireScope } from 'animal-store';
import { static as serveStatic, type NextFunction, type Request, type Response } from 'express';

@Controller('attic')
class AtticController {
  private emptied = 0;

  @Get('box')
  @RequireScope('attic:read')
  box(): object {
    return { by: 'handler' };
  }

  @Get('door')
  @Public()
  door(): object {
    return { by: 'handler' };
  }

  @Delete('box')
  @RequireScope('attic:write')
  empty(): object {
    return { times: (this.emptied += 1) };
  }

  /** The handler takes the request itself, so it may read the body. */
  @Delete('shelf')
  @RequireScope('attic:write')
  emptyShelf(@Req() _request: Request): object {
    return this.empty();
  }

  @Post('box')
  @RequireScope('attic:write')
  put(): object {
    return { by: 'handler' };
  }
}

/** Middleware that answers requests itself, as the header `x-attic` says. */
function answer(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Attic', 'seen');
  const ways: Record<string, () => unknown> = {
    json: () => response.status(203).json({ by: 'middleware' }),
    redirect: () => response.redirect('/elsewhere'),
    pieces: () => {
      response.setHeader('Content-Length', '10');
      response.write('middle');
      setImmediate(() => response.end('ware'));
    },
    flush: () => {
      response.flushHeaders();
      response.end('middleware');
    },
    body: () => void request.resume().once('end', () => response.json({ by: 'middleware' })),
    file: () => response.sendFile(import.meta.filename),
    throw: () => {
      throw new ConflictException('by middleware');
    },
    next: () => next(new ConflictException('by middleware')),
  };
  (ways[String(request.headers['x-attic'])] ?? next)();
}

/**
 * A module whose middleware answers before any controller: it serves the files of a folder, and what a request asks
 * for.
 */
@Module({ controllers: [AtticController] })
class AtticModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(serveStatic(import.meta.dirname)).forRoutes('attic/files');
    consumer.apply(answer).forRoutes('attic', '{*path}');
  }
}

const scopes = { 'attic:read': 'Look in', 'attic:write': 'Put in' };
export const attic = defineFeature({ name: 'attic', platform: '^1.0.0', module: AtticModule, scopes });
