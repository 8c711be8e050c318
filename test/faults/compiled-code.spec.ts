import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { createSqliteDatabase } from '../support/database.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** So many that V8 has compiled what each of them runs. */
const MANY = 20_000;
/** A dependency changes while something is being compiled, once or twice; what never compiles is tried hundreds of times. */
const MOST_VAIN_TRIES = 10;

describe('what every request runs', () => {
  const folder = scratchFolder('compiled-code');

  afterAll(() => {
    removeScratch(folder);
  });

  it('is compiled by V8, and not tried in vain again and again', async () => {
    const [node, trace] = [join(folder, 'node'), join(folder, 'trace')];
    const flags = `--trace-opt --redirect-code-traces --redirect-code-traces-to=${trace}`;
    writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} ${flags} "$@"\n`);
    chmodSync(node, 0o755);
    const database = await createSqliteDatabase();
    const service = await Service.start({
      database,
      node,
      env: { RATE_LIMIT_PER_MINUTE: '0', SHED_LOOP_DELAY_MS: '0' },
    });
    const headers = { authorization: `Bearer ${await service.createKey()}` };
    const result = await autocannon({ url: `${service.url}/v1/pets`, headers, amount: MANY, connections: 20 });
    await service.stop();
    await database.drop();
    expect(result['2xx']).toBe(MANY);
    const told = readFileSync(trace, 'utf8');
    expect(told).toMatch(/completed compiling .*parserOnIncoming/);
    const vain = [...told.matchAll(/aborted \w+ \S+ <JSFunction (\S+)/g)].map(([, name]) => name as string);
    const often = [...Map.groupBy(vain, (name) => name)].filter(([, tries]) => tries.length > MOST_VAIN_TRIES);
    expect(often.map(([name]) => name)).toEqual([]);
  });
});
