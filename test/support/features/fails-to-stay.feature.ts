import { Injectable, Module, type MiddlewareConsumer, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { defineFeature } from 'animal-store';
import { static as serveStatic, type Express } from 'express';
import type { Server } from 'node:http';

const { TEST_STAYS_BY: way = 'onModuleInit' } = process.env;

/**
 * Serves files beside Nest, as modules for static files do, or listens to the server itself, as WebSocket gateways do.
 */
@Injectable()
class Squatter implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {
    if (way === 'constructor') this.serve();
  }

  serve(): void {
    this.host.httpAdapter.getInstance<Express>().use(serveStatic(import.meta.dirname));
  }

  onModuleInit(): void {
    if (way === 'onModuleInit') this.serve();
    if (way === 'upgrade') (this.host.httpAdapter.getHttpServer() as Server).on('upgrade', () => undefined);
  }
}

@Module({ providers: [Squatter] })
class SquattersModule implements NestModule {
  constructor(private readonly squatter: Squatter) {}

  configure(_consumer: MiddlewareConsumer): void {
    if (way === 'configure') this.squatter.serve();
  }
}

export const squatters = defineFeature({ name: 'squatters', platform: '^1.0.0', module: SquattersModule });
