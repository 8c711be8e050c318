import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { defineFeature } from 'animal-store';
import { static as serveStatic, type Express } from 'express';

/** Serves files beside Nest, as modules for static files do. */
@Injectable()
class Squatter implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    this.host.httpAdapter.getInstance<Express>().use(serveStatic(import.meta.dirname));
  }
}

@Module({ providers: [Squatter] })
class SquattersModule {}

export const squatters = defineFeature({ name: 'squatters', platform: '^1.0.0', module: SquattersModule });
