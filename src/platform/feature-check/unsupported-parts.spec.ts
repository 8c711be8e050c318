import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Render } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { ServeStaticModule } from '@nestjs/serve-static';
import { WebSocketGateway } from '@nestjs/websockets';
import { defineFeature } from '../feature.js';
import { checkFeatures, FeatureError } from './check-features.js';

describe('a module', () => {
  @WebSocketGateway()
  class Doorbell {}

  @Controller('mail')
  class MailController {
    @MessagePattern('letter')
    takeLetter(): void {
      return undefined;
    }

    @EventPattern('stamp')
    onStamp(stamp: unknown): unknown {
      return stamp;
    }

    @Get('page')
    @Render('page')
    readPage(): object {
      return {};
    }
  }

  /** That of @nestjs/graphql is known by its name. */
  @Module({})
  class GraphQLModule {}

  it('has no part that is never reached, or would answer without a key', async () => {
    const imports = [ServeStaticModule.forRoot({ rootPath: '/tmp' }), GraphQLModule];
    @Module({ imports, controllers: [MailController], providers: [Doorbell] })
    class ToysModule {}
    const toys = defineFeature({ name: 'toys', platform: '^1.0.0', module: ToysModule });
    const platform = { name: 'the platform', version: '1.0.0', tables: [], entities: [] };
    const refused = await checkFeatures([toys], platform, '/v1').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FeatureError);
    expect((refused as FeatureError).violations).toStrictEqual([
      "feature 'toys' imports ServeStaticModule, which answers without a key and in a shape of its own; serve files by a web server in front, or from a controller by StreamableFile",
      "feature 'toys' imports GraphQLModule, which answers without a key and in a shape of its own; declare operations by controllers, or run GraphQL as a program of its own that calls this one",
      "feature 'toys' has Doorbell, a WebSocket gateway, and the service speaks HTTP only; send events by @Sse()",
      "feature 'toys' has MailController.takeLetter, which waits for messages, and the service takes none; declare it by @Post()",
      "feature 'toys' has MailController.onStamp, which waits for messages, and the service takes none; declare it by @Post()",
      "feature 'toys' has MailController.readPage, which renders a view, and there is no view engine; return JSON, or text with @Header()",
    ]);
  });
});
