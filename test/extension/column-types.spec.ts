import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { readDocument } from '../support/markdown.js';
import { Service } from '../support/service.js';

/** The values that are written and must be read back. */
const VALUES: Readonly<Record<string, unknown>> = {
  int: -7,
  bigint: '9007199254740993',
  decimal: '9999999999999.99',
  double: 0.1,
  boolean: true,
  datetime: '2026-01-02T03:04:05.678Z',
  date: '2026-01-02',
  time: '03:04:05',
  json: { list: [1, 'two', null], nested: { yes: true } },
  'simple-array': ['a', 'b'],
  'simple-enum': 'large',
  uuid: '6f8a0e0c-2f62-4c8f-9d0e-0d1a2b3c4d5e',
  blob: [0, 128, 255],
  text: '5',
  varchar: '1.5',
};

interface Documented {
  readonly type: string;
  readonly property: string;
  readonly raw: string;
}

/** The rows of the table in the guide. */
function documented(): Documented[] {
  const table = readDocument('docs/database-in-features.md').tables.find(({ header }) => header[0] === 'Column');
  return (table?.rows ?? []).map((row) => {
    const [type = '', property = '', raw = ''] = row.map((cell) => cell.replaceAll('`', ''));
    return { type, property, raw };
  });
}

const camel = (type: string): string => type.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

onEachEngine('a column of each type', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, ...hosting({ features: ['features/samples.feature.ts'] }) });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('comes back as the guide says, by a repository and in raw rows', async () => {
    const { entity, raw } = (await client.post('/v1/samples', undefined)).json() as Record<
      'entity' | 'raw',
      Record<string, { kind: string; value: unknown }>
    >;
    expect(documented().map(({ type }) => type)).toStrictEqual(Object.keys(VALUES));
    for (const { type, property, raw: rawKind } of documented()) {
      expect({ type, ...entity[camel(type)] }).toStrictEqual({ type, kind: property, value: VALUES[type] });
      expect({ type, kind: raw[type.replace('-', '_')]?.kind }).toStrictEqual({ type, kind: rawKind });
    }
    expect(entity['bigintText']).toStrictEqual({ kind: 'string', value: '-9223372036854775808' });
    expect(raw['text']).toStrictEqual({ kind: 'string', value: '5' });
    expect(raw['datetime']?.value).toBe(VALUES['datetime']);
    expect(raw['decimal']?.value).toBe(VALUES['decimal']);
  });

  it('of decimals is rounded alike, and refuses what is too large for it', async () => {
    const store = (value: string) => client.post('/v1/samples/decimals', { value });
    for (const [value, stored] of [
      ['1.005', '1.01'],
      ['-0.125', '-0.13'],
      ['12345678901.2', '12345678901.20'],
    ]) {
      expect((await store(value ?? '')).json()).toStrictEqual({ stored });
    }
    expect(await store('12345678901234.5')).toBeErrorShape(500, 'internal_error');
  });
});

onEachEngine('an entity whose table no migration makes', (engine) => {
  it('leaves the service unready, which names the feature and what to do', async () => {
    const database = await engine.createDatabase();
    const service = Service.launch({ database, ...hosting({ features: ['features/no-migration.feature.ts'] }) });
    const line = await service.untilLogged(({ event }) => event === 'db.schema_differs');
    expect(line).toMatchObject({
      level: 'error',
      differences: [
        'Table receipt of entity Receipt is not there, or the login may not see it; ' +
          "if no migration of feature 'receipts' makes it, add one",
      ],
    });
    await service.stop();
    await database.drop();
  });
});

describe('what SQLite cannot keep as MySQL does', () => {
  it('stops the start, by the name of the feature and what to write', async () => {
    const database = await createSqliteDatabase();
    const features = ['features/wide-decimal.feature.ts'];
    const service = Service.launch({ database, ...hosting({ features }) });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output.trim()).toBe(
      "feature 'invoices' cannot start: Invoice.total is a decimal of 20 digits, and SQLite keeps 15 exactly; " +
        'give it a precision of 15 at most, or keep it as a bigint of its smallest unit',
    );
    await database.drop();
  });
});
