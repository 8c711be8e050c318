import { afterEach, expect, it, jest } from '@jest/globals';
import { ApiKeyStore } from '../auth/index.js';
import { CONFIG } from '../config/index.js';
import { Int64Property } from '../int64.js';
import { RouteTable } from '../routing/index.js';
import { StringProperty } from '../validation/index.js';
import type { Application } from './application.js';
import { welcome } from './welcome.js';

class NewToy {
  @StringProperty({ minLength: 1, maxLength: 9, example: 'Ball' })
  name!: string;

  @Int64Property({ example: 9007199254740993n })
  shelf!: bigint;

  @StringProperty({ minLength: 1, maxLength: 9, required: false, example: 'red' })
  colour?: string;
}

const route = { method: 'POST', path: '/v1/toys', operationId: 'createToy', bodyType: NewToy };

afterEach(() => void jest.restoreAllMocks());

async function printed(routes: readonly object[]): Promise<string> {
  const provided = new Map<unknown, unknown>([
    [CONFIG, { env: 'development' }],
    [ApiKeyStore, { isEmpty: () => Promise.resolve(true), create: () => Promise.resolve({ text: 'as_test_key' }) }],
    [RouteTable, { all: () => routes }],
  ]);
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const log = { flush: (done: () => void) => done() };
  await welcome({
    url: 'http://box:3000',
    log,
    nest: { get: (token: unknown) => provided.get(token) },
  } as unknown as Application);
  return String(write.mock.calls[0]?.[0]);
}

it('shows the first operation that creates something, with the examples of its body', async () => {
  const text = await printed([{ ...route, path: '/v1/toys/{toyId}/parts' }, route]);
  expect(text).toContain('  Try createToy with it:\n');
  expect(text).toContain(`-d '{"name":"Ball","shelf":9007199254740993}' \\\n    http://box:3000/v1/toys\n`);
});

it('shows the key alone where nothing can be created', async () => {
  const text = await printed([]);
  expect(text).toContain('shown only now:\n  as_test_key\n\n  OpenAPI');
});
