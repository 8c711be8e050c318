import { afterEach, expect, it } from '@jest/globals';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { defineFeature, type Feature } from '../index.js';
import { startTestApplication, type TestApplication } from './index.js';

let application: TestApplication;

afterEach(() => application.stop());

/** A module that imports the given one indirectly, through another module. */
function importing(imported: DynamicModule): Type {
  return importingAll([imported]);
}

function importingAll(imports: DynamicModule[]): Type {
  @Module({ imports })
  class InnerModule {}
  @Module({ imports: [InnerModule] })
  class OuterModule {}
  return OuterModule;
}

it.each([
  ['equal ones are one, so that each job runs once', undefined, 1],
  ['others are each of its own', { timeouts: false }, 2],
])('global modules of several features: %s', async (_what, options, count) => {
  const modules = [importing(ScheduleModule.forRoot()), importing(ScheduleModule.forRoot(options))];
  application = await startTestApplication({ features: featuresOf(modules) });
  expect(countOf(ScheduleModule)).toBe(count);
});

class Client {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  key(): string {
    return this.#key;
  }
}

@Module({})
class ClientModule {}

function holdingItself(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

const one = new Client('k1');

it.each<[string, [unknown, unknown], number]>([
  ['instances of a class, which differ in what nobody sees', [one, new Client('k2')], 2],
  ['promises', [Promise.resolve('a'), Promise.resolve('b')], 2],
  ['functions', [() => 'a', () => 'a'], 2],
  ['objects that hold themselves', [holdingItself(), holdingItself()], 2],
  ['lists of different lengths', [['a'], ['a', 'a']], 2],
  ['a list and an object', [[], {}], 2],
  ['objects with different names', [{ a: undefined }, { b: undefined }], 2],
  ['the same instance', [{ clients: [one] }, { clients: [one] }], 1],
  [
    'the same plain values',
    [
      { hosts: ['a'], limit: NaN },
      { limit: NaN, hosts: ['a'] },
    ],
    1,
  ],
])('global modules of several features provide %s', async (_what, values, count) => {
  const modules = values.map((useValue) =>
    importing({ module: ClientModule, global: true, providers: [{ provide: 'CLIENT', useValue }] }),
  );
  application = await startTestApplication({ features: featuresOf(modules) });
  expect(countOf(ClientModule)).toBe(count);
});

it('a list of imports that is frozen stays as it is', async () => {
  const modules = Array.from({ length: 2 }, () =>
    importingAll(Object.freeze([ScheduleModule.forRoot()]) as DynamicModule[]),
  );
  application = await startTestApplication({ features: featuresOf(modules) });
  expect(countOf(ScheduleModule)).toBe(2);
});

function featuresOf(modules: readonly Type[]): Feature[] {
  return modules.map((module, at) => defineFeature({ name: `jobs-${String(at)}`, platform: '^1.0.0', module }));
}

/** How many instances of a class Nest has created. */
function countOf(type: Type): number {
  return [...application.get(ModulesContainer).values()].filter(({ metatype }) => metatype === type).length;
}
