import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Render } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { ServeStaticModule } from '@nestjs/serve-static';
import { WebSocketGateway } from '@nestjs/websockets';
import { defineFeature } from '../feature.js';
import { declareFeatures } from './declared-features.js';
import { faultsOfParts } from './unsupported-parts.js';

describe('a module', () => {
  @WebSocketGateway()
  class Doorbell {}

  @Controller('mail')
  class MailController {
    @MessagePattern('letter')
    takeLetter(): void {
      return undefined;
    }

    @Get('page')
    @Render('page')
    readPage(): object {
      return {};
    }
  }

  it('has no part that is never reached, or would answer without a key', async () => {
    const imports = [ServeStaticModule.forRoot({ rootPath: '/tmp' })];
    @Module({ imports, controllers: [MailController], providers: [Doorbell] })
    class ToysModule {}
    const toys = defineFeature({ name: 'toys', platform: '^1.0.0', module: ToysModule });
    const [declared] = await declareFeatures([toys]);
    expect(declared && faultsOfParts(declared)).toStrictEqual([
      expect.stringMatching(/^imports ServeStaticModule, which answers without a key .*; serve files/),
      expect.stringMatching(/^has Doorbell, a WebSocket gateway, .*; send events by @Sse\(\)$/),
      expect.stringMatching(/^has MailController.takeLetter, .*; declare it by @Post\(\)$/),
      expect.stringMatching(/^has MailController.readPage, which renders a view, .*; return JSON/),
    ]);
  });
});
