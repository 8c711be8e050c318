import { afterEach, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineFeature, Public, RequestDeadline } from '../index.js';
import { assertError, startTestApplication, type TestApplication } from './index.js';

/** The deadline of operations without their own. Milliseconds. */
const USUAL_MS = 3000;

@Controller('kettles')
class KettlesController {
  /** Takes longer than the usual deadline, but less than its own. */
  @Get('slow')
  @Public()
  @RequestDeadline(120_000)
  slowKettle(): Promise<object> {
    return sleep(2 * USUAL_MS, { boils: true });
  }

  @Get('usual')
  @Public()
  usualKettle(): Promise<object> {
    return sleep(300_000, { boils: true }, { ref: false });
  }

  @Get('hasty')
  @Public()
  @RequestDeadline(100)
  hastyKettle(): Promise<object> {
    return sleep(300_000, { boils: true }, { ref: false });
  }
}

@Module({ controllers: [KettlesController] })
class KettlesModule {}

const kettles = defineFeature({ name: 'kettles', platform: '^1.0.0', module: KettlesModule });

let application: TestApplication;

afterEach(() => application.stop());

const start = async (deadlineMs: number): Promise<void> => {
  const env = {
    REQUEST_DEADLINE_MS: String(deadlineMs),
    DATABASE_ACQUIRE_TIMEOUT_MS: '500',
    DATABASE_QUERY_TIMEOUT_MS: '1500',
    LOG_LEVEL: 'silent',
  };
  application = await startTestApplication({ features: [kettles], env });
};

it('an operation with @RequestDeadline has more time than the others', async () => {
  await start(USUAL_MS);
  const { anonymous } = application;
  assertError(await anonymous.get('/v1/kettles/usual'), 503, 'service_unavailable');
  const answer = await anonymous.get('/v1/kettles/slow');
  expect([answer.status, answer.json()]).toStrictEqual([200, { boils: true }]);
});

it('an operation with @RequestDeadline has less time than the others', async () => {
  await start(120_000);
  assertError(await application.anonymous.get('/v1/kettles/hasty'), 503, 'service_unavailable');
});
