import { afterEach, expect, it } from '@jest/globals';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { defineFeature } from '../index.js';
import { startTestApplication, type TestApplication } from './index.js';

let application: TestApplication;

afterEach(() => application.stop());

/** A module that imports another one by a module in between. */
function importing(imported: DynamicModule): Type {
  @Module({ imports: [imported] })
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
  const features = modules.map((module, at) =>
    defineFeature({ name: `jobs-${String(at)}`, platform: '^1.0.0', module }),
  );
  application = await startTestApplication({ features });
  const made = [...application.get(ModulesContainer).values()].filter(({ metatype }) => metatype === ScheduleModule);
  expect(made).toHaveLength(count);
});
