import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  Render,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
  Version,
  type Type,
} from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { BaseExceptionFilter } from '@nestjs/core';
import { ApiCreatedResponse, ApiOperation } from '@nestjs/swagger';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { WebSocketGateway } from '@nestjs/websockets';
import { defineFeature, type Feature } from '../feature.js';
import { LocatedBy } from '../routing/index.js';
import { IntegerProperty, UnreadBody } from '../validation/index.js';
import { checkFeatures, FeatureError } from './check-features.js';

const platform = { name: 'the platform', version: '1.0.0', tables: [], entities: [] };

/** Every violation that stops these features. */
async function violationsOf(...features: readonly Feature[]): Promise<readonly string[]> {
  try {
    await checkFeatures(features, platform, '/v1');
    return [];
  } catch (error) {
    if (!(error instanceof FeatureError)) throw error;
    return error.violations;
  }
}

/** A feature without faults, except for the given parts, which the compiler does not check. */
function feature(given: object, metadata: object = {}): Feature {
  @Module(metadata)
  class ToysModule {}
  return defineFeature({ name: 'toys', platform: '^1.0.0', module: ToysModule, ...given });
}

/** The value that a circular import has while a feature is declared. */
const unborn = undefined as unknown as Type;

describe('a declaration that cannot be read', () => {
  it.each([
    [{ module: undefined }, 'module'],
    [{ errors: [unborn] }, 'errors'],
    [{ migrations: [unborn] }, 'migrations'],
  ])('since it has a hole is told: %j', async (given, part) => {
    expect(await violationsOf(feature(given))).toEqual([
      `feature 'toys' has undefined in its ${part}; two files that import each other leave it so`,
    ]);
  });

  it('imports a feature in place of its module', async () => {
    @Module({})
    class OthersModule {}
    const other = defineFeature({ name: 'others', platform: '^1.0.0', module: OthersModule });
    expect(await violationsOf(other, feature({}, { imports: [other] }))).toEqual([
      "feature 'toys' imports feature 'others' itself; import its .module",
    ]);
  });
});

describe('a class that Nest knows no parameters of', () => {
  class Shelf {
    constructor(readonly toys: unknown) {}
  }
  class Small {
    readonly size = 1;
  }
  class Chosen {
    constructor(readonly toys: unknown) {}
  }
  Inject('TOYS')(Chosen, undefined, 0);
  @Injectable()
  class Known {
    constructor(readonly toys: Small) {}
  }
  const fault =
    "feature 'toys' has Shelf, of whose constructor Nest knows nothing: " +
    'it lacks @Injectable(), or was compiled without emitDecoratorMetadata; ' +
    'where it can do with nothing, provide it by useFactory';

  it.each([
    ['as a provider', { providers: [Shelf] }],
    ['for a token', { providers: [{ provide: 'SHELF', useClass: Shelf }] }],
    ['as a controller', { controllers: [Shelf] }],
  ])('%s is told', async (_, metadata) => {
    expect(await violationsOf(feature({}, metadata))).toEqual([fault]);
  });

  it.each([
    ['of a controller', UseGuards(Shelf), UseGuards()],
    ['of a handler', UseGuards(), UseInterceptors(Shelf as Type)],
  ])('around a handler, %s, is reported', async (_, onController, onHandler) => {
    @onController
    @Controller('toys')
    class ToysController {
      @Get()
      @onHandler
      listToys(): unknown {
        return [];
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([fault]);
  });

  it('is none of what Nest brings to put around a handler', async () => {
    @Controller('toys')
    @UsePipes(ValidationPipe)
    @UseFilters(BaseExceptionFilter)
    class ToysController {
      @Get()
      @UseInterceptors(ClassSerializerInterceptor)
      listToys(): unknown {
        return [];
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([]);
  });

  it('is not one without any, nor one whose parameters are told, nor a function', async () => {
    const maker = { provide: Shelf, useFactory: () => new Shelf(1) };
    const providers = [Small, Chosen, Known, maker, EventEmitter];
    expect(EventEmitter).toHaveLength(1);
    expect(await violationsOf(feature({}, { providers }))).toEqual([]);
  });
});

const UNDECORATED =
  'no property of which has a decorator; give its properties decorators of class-validator, such as @IsString()';

describe('what a handler takes', () => {
  class Plain {
    name?: string;
  }
  class Checked {
    @IntegerProperty({ minimum: 1, maximum: 9, description: 'How many.' })
    count!: number;
  }

  it('is a class whose properties have decorators, or what comes as it is', async () => {
    @Controller('toys')
    class ToysController {
      @Post('plain')
      postPlain(@Body() body: Plain): unknown {
        return body;
      }
      @Post('list')
      postList(@Body() body: string[]): unknown {
        return body;
      }
      @Get()
      listToys(@Query() query: Plain): unknown {
        return query;
      }
      @Post('checked')
      postChecked(@Body() body: Checked): unknown {
        return body;
      }
      @Get('checked')
      listChecked(@Query() query: Checked): unknown {
        return query;
      }
      @Post('unread')
      postUnread(@Body() body: UnreadBody): unknown {
        return body;
      }
      @Get('raw')
      getRaw(@Query() query: URLSearchParams): unknown {
        return query;
      }
      @Get('named')
      getNamed(@Query('one') one: Checked, @Query('two', ValidationPipe) two: Checked): unknown {
        return [one, two];
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([
      `feature 'toys': postPlainToy takes a body of Plain, ${UNDECORATED}`,
      `feature 'toys': listToys takes a query of Plain, ${UNDECORATED}`,
      "feature 'toys': listCheckedToys takes a query of Checked, whose 'count' refuses every text; what converts it is @IntegerParameter, @Int64Parameter, @Type or @Transform",
      "feature 'toys': getNamedToys takes the parameter 'one' as a Checked, which no text is; take the whole query or path by the class, or name a pipe that makes one",
    ]);
  });
});

describe('where a handler is', () => {
  it('is one path, and its operationId is that of no other', async () => {
    @Controller('toys')
    class ToysController {
      @Get(['a', 'b'])
      listToys(): unknown {
        return [];
      }
      @Get('dolls')
      listDolls(): unknown {
        return [];
      }
    }
    @Controller('dolls')
    class DollsController {
      @Get()
      @ApiOperation({ operationId: 'listDollsToys' })
      listDolls(): unknown {
        return [];
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController, DollsController] }))).toEqual([
      "feature 'toys': ToysController.listToys is at /toys/a and /toys/b, and an operation has one path; declare a handler for each",
      "operationId 'listDollsToys' is claimed more than once by feature 'toys'",
    ]);
  });

  it('is named as a component of the document may be', async () => {
    @Controller('toys')
    class ToysController {
      @Get()
      list$(): unknown {
        return [];
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([
      "feature 'toys': ToysController.list$ is an operation whose name has more than letters of ASCII, digits and _",
    ]);
  });

  it('is a path that Express and the document read in one way', async () => {
    @Controller()
    class ToysController {
      @Get()
      atRoot(): unknown {
        return {};
      }
      @Get('toys/*')
      atStar(): unknown {
        return {};
      }
      @Get('dolls/{*rest}')
      atRest(): unknown {
        return {};
      }
      @Get('toys/:id?')
      atOptional(): unknown {
        return {};
      }
      @Get('toys/:id(\\d+)')
      atPattern(): unknown {
        return {};
      }
      @Get('toys/:name.txt')
      atFile(): unknown {
        return {};
      }
      @Get('toys/:toy_id/parts-of.2/ä')
      atPlain(): unknown {
        return {};
      }
    }
    const told = (name: string, path: string): string =>
      `feature 'toys': ToysController.${name} is at '${path}', which no document can have: between slashes a path has words, or one :name`;
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([
      told('atRoot', ''),
      told('atStar', '/toys/*'),
      told('atRest', '/dolls/{*rest}'),
      told('atOptional', '/toys/:id?'),
      told('atPattern', '/toys/:id(\\d+)'),
      told('atFile', '/toys/:name.txt'),
    ]);
  });

  it('has what the handler takes from it, in one of its paths', async () => {
    @Controller('toys')
    class ToysController {
      @Get(':toyId')
      getToy(@Param('id') id: string): unknown {
        return id;
      }
      @Get(':toyId/parts/:part')
      getPart(@Param('toyId') id: string, @Param() all: object): unknown {
        return [id, all];
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([
      "feature 'toys': ToysController.getToy takes path parameter 'id', which its path has not",
    ]);
  });

  it('is no matter of a version', async () => {
    @Controller({ path: 'toys', version: '2' })
    class ToysController {
      @Get()
      listToys(): unknown {
        return [];
      }
    }
    @Controller('dolls')
    class DollsController {
      @Version('2')
      @Get()
      listDolls(): unknown {
        return [];
      }
    }
    const version = 'names a version, which nothing looks at; write it into the path';
    expect(await violationsOf(feature({}, { controllers: [ToysController, DollsController] }))).toEqual([
      `feature 'toys': ToysController.listToys ${version}`,
      `feature 'toys': DollsController.listDolls ${version}`,
    ]);
  });

  it('is told to clients by an operation that there is, its parameters, and what is answered', async () => {
    class Toy {
      @IntegerProperty({ minimum: 1, maximum: 9 })
      id!: number;
    }
    @Controller('toys')
    class ToysController {
      @Post('lost')
      @LocatedBy('fetchToy', { toyId: 'id' })
      postLost(): unknown {
        return {};
      }
      @Post('odd')
      @LocatedBy('getToy', { id: 'id' })
      postOdd(): unknown {
        return {};
      }
      @Post('nameless')
      @LocatedBy('getToy', { toyId: 'name' })
      @ApiCreatedResponse({ type: Toy })
      postNameless(): unknown {
        return {};
      }
      @Post()
      @LocatedBy('getToy', { toyId: 'id' })
      @ApiCreatedResponse({ type: Toy })
      postToy(): unknown {
        return {};
      }
      @Post('bare')
      @LocatedBy('getToy', { toyId: 'id' })
      postBare(): unknown {
        return {};
      }
      @Get(':toyId')
      getToy(@Param('toyId') id: string): unknown {
        return id;
      }
    }
    expect(await violationsOf(feature({}, { controllers: [ToysController] }))).toEqual([
      "feature 'toys': postLostToy is located by 'fetchToy', which is no operation",
      "feature 'toys': postOddToy is located by 'getToy', whose path has no parameter 'id'",
      "feature 'toys': postNamelessToy is located by 'getToy' with 'name', which its answer has not",
    ]);
  });
});

it('a handler or a gateway that could not answer is reported', async () => {
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
  const metadata = { providers: [Doorbell], controllers: [MailController] };
  expect(await violationsOf(feature({}, metadata))).toEqual([
    "feature 'toys' has MailController.takeLetter, which waits for messages, and the service takes none; declare it by @Post()",
    "feature 'toys' has MailController.onStamp, which waits for messages, and the service takes none; declare it by @Post()",
    "feature 'toys' has MailController.readPage, which renders a view, and there is no view engine; return JSON, or text with @Header()",
    "feature 'toys' has Doorbell, a WebSocket gateway, and the service speaks HTTP only; send events by @Sse()",
  ]);
});
