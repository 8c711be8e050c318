import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** Enough requests for V8 to compile the code that each of them runs. */
const MANY = 20_000;
/** While V8 compiles, a dependency may change once or twice. Code that never compiles is tried hundreds of times. */
const MOST_VAIN_TRIES = 10;
/** Milliseconds. By then V8's memory reducer has noticed that the process is idle, and has collected garbage. */
const LONGEST_REST_MS = 60_000;

/** A module that writes every name that code gives to a function to `file`. */
const recordingNames = (file: string): string => `
  import { appendFileSync } from 'node:fs';
  const { defineProperty } = Object;
  Object.defineProperty = (target, key, descriptor) => {
    if (key === 'name' && typeof target === 'function') appendFileSync(${JSON.stringify(file)}, descriptor.value + '\\n');
    return defineProperty(target, key, descriptor);
  };
`;

describe('what every request runs', () => {
  const folder = scratchFolder('compiled-code');
  const [node, trace, names] = [join(folder, 'node'), join(folder, 'trace'), join(folder, 'names')];
  let database: TestDatabase;
  let service: Service;
  /** The lengths of V8's trace and of the service's output after all requests. */
  let [tracedBefore, printedBefore] = [0, 0];
  let headers: Record<string, string>;

  beforeAll(async () => {
    const flags = [
      '--trace-opt --trace-deopt --redirect-code-traces',
      `--redirect-code-traces-to=${trace}`,
      '--trace-gc --gc-memory-reducer-start-delay-ms=500',
      `--import ${join(folder, 'names.mjs')}`,
    ];
    writeFileSync(join(folder, 'names.mjs'), recordingNames(names));
    writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} ${flags.join(' ')} "$@"\n`);
    chmodSync(node, 0o755);
    database = await createSqliteDatabase();
    service = await Service.start({ database, node, env: { RATE_LIMIT_PER_MINUTE: '0', SHED_LOOP_DELAY_MS: '0' } });
    headers = { authorization: `Bearer ${await service.createKey()}` };
    const result = await autocannon({ url: `${service.url}/v1/pets`, headers, amount: MANY, connections: 20 });
    [tracedBefore, printedBefore] = [traceText().length, service.output.length];
    expect(result['2xx']).toBe(MANY);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    removeScratch(folder);
  });

  const traceText = (): string => readFileSync(trace, 'utf8');

  it('is compiled by V8, and not tried in vain again and again', () => {
    expect(traceText()).toMatch(/completed compiling .*parserOnIncoming/);
    const vain = [...traceText().matchAll(/aborted \w+ \S+ <JSFunction (\S+)/g)].map(([, name]) => name as string);
    const often = [...Map.groupBy(vain, (name) => name)].filter(([, tries]) => tries.length > MOST_VAIN_TRIES);
    expect(often.map(([name]) => name)).toEqual([]);
  });

  it(
    'is still compiled after a rest in which V8 collects garbage',
    async () => {
      const hasCollected = (): boolean => service.output.includes('Mark-Compact', printedBefore);
      const deadline = performance.now() + LONGEST_REST_MS;
      while (!hasCollected() && performance.now() < deadline) await sleep(100);
      expect(hasCollected()).toBe(true);
      const thrownAway = [
        ...traceText()
          .slice(tracedBefore)
          .matchAll(/dependent code .*?<SharedFunctionInfo ?([^>]*)/g),
      ];
      expect(thrownAway.map(([, name]) => name)).toStrictEqual([]);
    },
    2 * LONGEST_REST_MS,
  );

  it('makes no function that is then given a name', async () => {
    const ask = (path: string, body?: string): Promise<Response> =>
      fetch(`${service.url}/v1/pets${path}`, {
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
    const askEverything = async (): Promise<void> => {
      const made = await ask('', JSON.stringify({ name: 'Rex', categoryId: 7 }));
      const others = await Promise.all([ask('?limit=1&status=sold'), ask('/1'), ask('/0')]);
      expect([made, ...others].map(({ status }) => status)).toEqual([201, 200, 200, 404]);
    };
    // Code that is loaded at its first use names its functions then.
    await askEverything();
    const before = readFileSync(names, 'utf8');
    await askEverything();
    expect(readFileSync(names, 'utf8').slice(before.length)).toBe('');
  });
});
