import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  forwardRef,
  Get,
  Inject,
  Injectable,
  Module,
  UseGuards,
  type MiddlewareConsumer,
  type ModuleMetadata,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ServeStaticModule } from '@nestjs/serve-static';
import { InjectRepository } from '@nestjs/typeorm';
import { Entity, PrimaryGeneratedColumn } from 'typeorm';
import { defineFeature } from '../index.js';
import { startTestApplication } from './index.js';

/** The message of the failed start of a feature with this module; undefined if it starts. */
async function saidBy(module: Type): Promise<string | undefined> {
  const toys = defineFeature({ name: 'toys', platform: '^1.0.0', module });
  try {
    await (await startTestApplication({ features: [toys] })).stop();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A module class with this metadata. */
function moduleOf(metadata: ModuleMetadata): Type {
  @Module(metadata)
  class ToysModule {}
  return ToysModule;
}

const FAILED = "feature 'toys' failed to start: ";
const LOOP = `${FAILED}two of its providers or modules need each other; give one of them the other by forwardRef()`;
const NO_EXPORT =
  `${FAILED}one of its modules exports what it neither provides nor imports; ` + 'add it to its providers or imports';
const UNDEFINED =
  ` needs what is undefined while the program runs; import its class without 'import type', ` +
  'give an interface a token by @Inject(), and use forwardRef() between files that import each other';

/** Sets the metadata that the compiler emits for the types of a constructor. */
function typed(type: Type, ...types: readonly unknown[]): Type {
  Reflect.defineMetadata('design:paramtypes', types, type);
  return type;
}

@Injectable()
class Ball {}

const UNDEFINED_CLASS = undefined as unknown as Type;

@Entity()
class Toy {
  @PrimaryGeneratedColumn()
  id: number;
}

@Injectable()
class Keeper {
  constructor(@InjectRepository(Toy) readonly toys: object) {}
}

@Injectable()
class Seeker implements OnModuleInit {
  constructor(private readonly modules: ModuleRef) {}

  onModuleInit(): void {
    this.modules.get('ball', { strict: false });
  }
}

@Controller('balls')
@UseGuards(Ball)
class BallsController {
  @Get()
  findAll(): string[] {
    return [];
  }
}

describe('what Nest cannot put together is said in words of our own, of the feature', () => {
  it('an export that the module has not', async () => {
    expect(await saidBy(moduleOf({ exports: [Ball] }))).toBe(NO_EXPORT);
    expect(await saidBy(moduleOf({ imports: [moduleOf({ exports: ['ball'] })] }))).toBe(NO_EXPORT);
    expect(await saidBy(moduleOf({ exports: [moduleOf({ providers: [Ball] })] }))).toBe(NO_EXPORT);
    expect(await saidBy(moduleOf({ providers: [Ball], exports: [Ball] }))).toBeUndefined();
  });

  // A class imported by `import type` is `Function` to the TypeScript compiler, and `Object` to other compilers, like
  // an interface.
  it.each([
    ['an interface', Object, 'Shelf'],
    ['a class of `import type`', Function, 'Shelf'],
    ['a class of a file that imports this one', undefined, 'a provider'],
  ])('a constructor that is given %s', async (_what, type, name) => {
    @Injectable()
    class Shelf {
      constructor(readonly thing: Ball) {}
    }
    expect(await saidBy(moduleOf({ providers: [typed(Shelf, type)] }))).toBe(FAILED + name + UNDEFINED);
  });

  it('providers that need each other', async () => {
    @Injectable()
    class Chicken {
      constructor(@Inject('egg') readonly egg: object) {}
    }
    @Injectable()
    class Egg {
      constructor(readonly chicken: Chicken) {}
    }
    const providers = [Chicken, { provide: 'egg', useClass: Egg }];
    expect(await saidBy(moduleOf({ providers }))).toBe(LOOP);
    @Injectable()
    class LateChicken {
      constructor(@Inject(forwardRef(() => LateEgg)) readonly egg: object) {}
    }
    @Injectable()
    class LateEgg {
      constructor(@Inject(forwardRef(() => LateChicken)) readonly chicken: object) {}
    }
    expect(await saidBy(moduleOf({ providers: [LateChicken, LateEgg] }))).toBeUndefined();
  });

  it('modules that import each other', async () => {
    @Module({ imports: [undefined as unknown as Type] })
    class RightModule {}
    @Module({ imports: [RightModule] })
    class LeftModule {}
    expect(await saidBy(LeftModule)).toContain(
      `${FAILED}RightModule has undefined at [0] of its imports; two files that import each other leave it so: move what both need into a third file, or use forwardRef()`,
    );
    Module({ imports: [forwardRef(() => LeftModule)] })(RightModule);
    expect(await saidBy(LeftModule)).toBeUndefined();
  });

  it.each<readonly [what: string, metadata: () => ModuleMetadata, said: string]>([
    [
      'a provider of an undefined class',
      () => ({ providers: [{ provide: 'x', useClass: UNDEFINED_CLASS }] }),
      `${FAILED}ToysModule has a provider "x" without useClass, useValue, useFactory or useExisting; two files that import each other leave one undefined`,
    ],
    ...(['providers', 'controllers', 'imports'] as const).map(
      (list) =>
        [
          `an undefined class among its ${list}`,
          () => ({ [list]: [UNDEFINED_CLASS] }),
          `${FAILED}ToysModule has undefined at [0] of its ${list}; two files that import each other leave it so: `,
        ] as const,
    ),
    [
      'a repository of an entity that is not registered',
      () => ({ providers: [Keeper] }),
      `${FAILED}Keeper needs ToyRepository, which its module does not have; add TypeOrmModule.forFeature([Toy]) to its imports`,
    ],
    [
      'an import that is a provider',
      () => ({ imports: [Ball] }),
      `${FAILED}one of its modules imports what is no module; add it to its controllers or providers instead`,
    ],
    [
      'a controller that is none',
      () => ({ controllers: [Ball] }),
      `${FAILED}one of its controllers has no @Controller(); decorate it, or add it to the providers instead`,
    ],
    [
      'a guard that is none',
      () => ({ controllers: [BallsController] }),
      `${FAILED}one of its guards, pipes, interceptors or filters lacks the method of its kind, such as canActivate(); name a class that has it`,
    ],
    [
      'a look-up of what is not there',
      () => ({ providers: [Seeker] }),
      `${FAILED}ball is asked of ModuleRef, and no module has it; add it to the providers of one`,
    ],
  ])('%s', async (_what, metadata, said) => {
    expect(await saidBy(moduleOf(metadata()))).toContain(said);
  });

  it('a middleware that is none', async () => {
    @Module({})
    class BallsModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(Ball).forRoutes('balls');
      }
    }
    expect(await saidBy(BallsModule)).toBe(`${FAILED}one of its middlewares has no method use(); give it one`);
  });

  it('a provider that its module has not', async () => {
    @Injectable()
    class Shelf {
      constructor(readonly ball: Ball) {}
    }
    expect(await saidBy(moduleOf({ providers: [Shelf] }))).toBe(
      `${FAILED}Shelf needs Ball, which its module does not have; ` +
        'add Ball to the providers of that module, or import the module that exports it',
    );
  });
});

it('a module that adds handlers to Express itself does not start', async () => {
  const imports = [ServeStaticModule.forRoot({ rootPath: '/tmp' })];
  expect(await saidBy(moduleOf({ imports }))).toBe(
    `${FAILED}ServeStaticModule.onModuleInit adds handlers to Express itself, which would answer without a key and in a ` +
      'shape of their own; declare them in a controller, or as middleware by configure(consumer)',
  );
});
