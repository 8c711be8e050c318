import { afterEach, expect, it, jest } from '@jest/globals';
import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { defineFeature } from '../index.js';
import { ApiKeyStore } from '../platform/auth/index.js';
import type { Application } from '../platform/lifecycle/index.js';
import { startTestApplication } from './index.js';
import { TestApplication } from './test-application.js';

const stopped = jest.fn();

@Injectable()
class Lamps implements OnApplicationShutdown {
  onApplicationShutdown(): void {
    stopped();
  }
}

@Module({ providers: [Lamps] })
class LampsModule {}

const lamps = defineFeature({ name: 'lamps', platform: '^1.0.0', module: LampsModule });

afterEach(() => void jest.restoreAllMocks());

it('a start that fails stops what it had started', async () => {
  jest.spyOn(ApiKeyStore.prototype, 'create').mockRejectedValueOnce(new Error('no key today'));
  await expect(startTestApplication({ features: [lamps] })).rejects.toThrow('no key today');
  expect(stopped).toHaveBeenCalledTimes(1);
});

it('a stop that fails drops the database', async () => {
  const running = { url: 'http://127.0.0.1', stop: () => Promise.reject(new Error('cannot stop')) };
  const drop = jest.fn(() => Promise.resolve());
  const application = new TestApplication(running as unknown as Application, { url: 'sqlite::memory:', drop }, 'key');
  await expect(application.stop()).rejects.toThrow('cannot stop');
  expect(drop).toHaveBeenCalledTimes(1);
});
