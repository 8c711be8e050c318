import { describe, expect, it } from '@jest/globals';
import { forwardRef, Inject, Injectable, Module, type ModuleMetadata, type Type } from '@nestjs/common';
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
const LOOP = `${FAILED}two of its providers or modules need each other; give one of them the other by forwardRef()`;
const NO_EXPORT =
  `${FAILED}one of its modules exports what it neither provides nor imports; ` + 'add it to its providers or imports';
const UNDEFINED =
  ` needs what is undefined while the program runs; import its class without 'import type', ` +
  'give an interface a token by @Inject(), and use forwardRef() between files that import each other';

/** As the compiler leaves the types of a constructor. */
function typed(type: Type, ...types: readonly unknown[]): Type {
  Reflect.defineMetadata('design:paramtypes', types, type);
  return type;
}

@Injectable()
class Ball {}

describe('what Nest cannot put together is said in words of our own, of the feature', () => {
  it('an export that the module has not', async () => {
    expect(await saidBy(moduleOf({ exports: [Ball] }))).toBe(NO_EXPORT);
    expect(await saidBy(moduleOf({ imports: [moduleOf({ exports: ['ball'] })] }))).toBe(NO_EXPORT);
    expect(await saidBy(moduleOf({ exports: [moduleOf({ providers: [Ball] })] }))).toBe(NO_EXPORT);
    expect(await saidBy(moduleOf({ providers: [Ball], exports: [Ball] }))).toBeUndefined();
  });

  // A class of `import type` is `Function` to the TypeScript compiler and `Object` to others, as an interface is.
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
      "feature 'toys' has undefined at [0] of the imports of RightModule; two files that import each other leave one so",
    );
    Module({ imports: [forwardRef(() => LeftModule)] })(RightModule);
    expect(await saidBy(LeftModule)).toBeUndefined();
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
