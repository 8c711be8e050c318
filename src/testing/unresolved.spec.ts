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

/** What a feature with such a module says instead of starting; undefined where it starts. */
async function saidBy(module: Type): Promise<string | undefined> {
  const toys = defineFeature({ name: 'toys', platform: '^1.0.0', module });
  try {
    await (await startTestApplication({ features: [toys] })).stop();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A module of this, with the class that it is. */
function moduleOf(metadata: ModuleMetadata): Type {
  @Module(metadata)
  class ToysModule {}
  return ToysModule;
}

const FAILED = "feature 'toys' failed to start: ";
/** As the compiler leaves the types of a constructor. */
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

describe('what Nest cannot put together is said in the words of Nest, of the feature', () => {
  it('an export that the module has not', async () => {
    const noExport = (name: string): string => `verify whether the exported ${name} is available`;
    const ofFeature = expect.stringContaining(`${FAILED}Nest cannot export`);
    const [said, ofImport, ofModule] = [
      await saidBy(moduleOf({ exports: [Ball] })),
      await saidBy(moduleOf({ imports: [moduleOf({ exports: ['ball'] })] })),
      await saidBy(moduleOf({ exports: [moduleOf({ providers: [Ball] })] })),
    ];
    expect([said, ofImport, ofModule]).toStrictEqual([ofFeature, ofFeature, ofFeature]);
    expect(said).toContain(noExport('Ball'));
    expect(ofImport).toContain(noExport('ball'));
    expect(ofModule).toContain(noExport('ToysModule'));
    expect(await saidBy(moduleOf({ providers: [Ball], exports: [Ball] }))).toBeUndefined();
  });

  // A class of `import type` is `Function` to the TypeScript compiler and `Object` to others, as an interface is.
  it.each([
    ['an interface', Object],
    ['a class of `import type`', Function],
    ['a class of a file that imports this one', undefined],
  ])('a constructor that is given %s', async (_what, type) => {
    @Injectable()
    class Shelf {
      constructor(readonly thing: Ball) {}
    }
    expect(await saidBy(moduleOf({ providers: [typed(Shelf, type)] }))).toMatch(
      /^feature 'toys' failed to start: Nest can't resolve dependencies of the Shelf \(\?\)\. .* at index \[0\]/,
    );
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
    expect(await saidBy(moduleOf({ providers }))).toContain(
      `${FAILED}A circular dependency has been detected inside "Chicken". `,
    );
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
      `${FAILED}Nest cannot create the RightModule instance.\nThe module at index [0] of the RightModule "imports" array is undefined.`,
    );
    Module({ imports: [forwardRef(() => LeftModule)] })(RightModule);
    expect(await saidBy(LeftModule)).toBeUndefined();
  });

  it.each<readonly [what: string, metadata: () => ModuleMetadata, said: string]>([
    [
      'a provider of an undefined class',
      () => ({ providers: [{ provide: 'x', useClass: UNDEFINED_CLASS }] }),
      `${FAILED}Nest cannot create the ToysModule instance.\nThe provider "x" in the ToysModule "providers" array does not define a valid "useClass"`,
    ],
    ...(['providers', 'controllers', 'imports'] as const).map(
      (list) =>
        [
          `an undefined class among its ${list}`,
          () => ({ [list]: [UNDEFINED_CLASS] }),
          `at index [0] of the ToysModule "${list}" array is undefined.`,
        ] as const,
    ),
    [
      'a repository of an entity that is not registered',
      () => ({ providers: [Keeper] }),
      `${FAILED}Nest can't resolve dependencies of the Keeper (?). Please make sure that the argument "ToyRepository" at index [0] is available in the ToysModule module.`,
    ],
    [
      'an import that is a provider',
      () => ({ imports: [Ball] }),
      `${FAILED}"Ball" is decorated with @Injectable() and cannot appear in the "imports" array of a module.`,
    ],
    [
      'a controller that is none',
      () => ({ controllers: [Ball] }),
      `${FAILED}An invalid controller has been detected. "Ball" does not have the @Controller() decorator`,
    ],
    [
      'a guard that is none',
      () => ({ controllers: [BallsController] }),
      `${FAILED}The guard (class Ball) doesn't provide the "canActivate" method`,
    ],
    ['a look-up of what is not there', () => ({ providers: [Seeker] }), `${FAILED}Nest could not find ball element`],
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
    expect(await saidBy(BallsModule)).toBe(`${FAILED}The middleware doesn't provide the 'use' method (Ball)`);
  });

  it('a provider that its module has not', async () => {
    @Injectable()
    class Shelf {
      constructor(readonly ball: Ball) {}
    }
    expect(await saidBy(moduleOf({ providers: [Shelf] }))).toContain(
      `${FAILED}Nest can't resolve dependencies of the Shelf (?). Please make sure that the argument Ball at index [0] is available in the ToysModule module.`,
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
