import { beforeAll, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3-v13';
import fc from 'fast-check';
import { AnswerCheck } from '../support/answer-check.js';
import { ApiDocument, type Operation } from '../support/api-document.js';
import { inventKey, storeKey } from '../support/api-keys.js';
import { type Engine, onEachEngine } from '../support/engines.js';
import { type GeneratedRequest, RequestGenerator } from '../support/generated-requests.js';
import { exchangeRaw, RawConnection, type RawResponse } from '../support/raw-http.js';
import { type Served, serveOn } from '../support/served.js';
import { Service } from '../support/service.js';

/** How a request is sent, besides its own contents. */
interface Extra {
  readonly key?: string | null;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly url?: string;
}

type Headers = readonly (readonly [name: string, value: string])[];

/** A client's mistake that no schema describes, and the status of the answer. */
type Mistake = readonly [what: string, status: number, extra: Extra, change?: Partial<GeneratedRequest>];

const MISTAKES: readonly Mistake[] = [
  ['no key', 401, { key: null }],
  ['another scheme', 401, { key: null, headers: [['Authorization', 'Basic YTpi']] }],
  ['a key of no form', 401, { key: 'wrong' }],
  ['a key that nobody made', 401, { key: inventKey() }],
  ['Accept: text/html', 406, { headers: [['Accept', 'text/html']] }],
  ['JSON refused', 406, { headers: [['Accept', 'application/json;q=0, text/*']] }],
  ['two Hosts', 400, { headers: [['Host', 'other.test']] }],
  ['long headers', 431, { headers: [['X-Long', 'x'.repeat(17_000)]] }],
];

const BODY_MISTAKES: readonly Mistake[] = [
  ['text', 415, {}, { headers: [['Content-Type', 'text/plain']] }],
  ['another JSON', 415, {}, { headers: [['Content-Type', 'application/merge-patch+json']] }],
  ['another charset', 415, {}, { headers: [['Content-Type', 'application/json; charset=latin1']] }],
  ['a content coding', 415, { headers: [['Content-Encoding', 'gzip']] }],
  ['a great body', 413, {}, { body: ' '.repeat(20_000) }],
  ['a BOM', 400, {}, { body: '\ufeff{}' }],
  ['a deep body', 400, {}, { body: '['.repeat(40) }],
];

/** Timeouts longer than a test holds writes back. */
const PATIENT = { DATABASE_QUERY_TIMEOUT_MS: '8000', REQUEST_DEADLINE_MS: '10000' };

onEachEngine('what is served and what openapi.json declares are the same', (engine) => {
  const store = serveOn(engine, {
    RATE_LIMIT_PER_MINUTE: '1000000',
    AUTH_FAILURES_PER_MINUTE: '0',
    ...PATIENT,
  });
  let document: ApiDocument;
  let check: AnswerCheck;
  let generator: RequestGenerator;

  beforeAll(async () => {
    document = new ApiDocument((await store.stranger.get('/openapi.json')).text);
    check = new AnswerCheck(document);
    generator = new RequestGenerator(document);
  });

  function bytesOf({ method }: Operation, request: GeneratedRequest, extra: Extra): Buffer {
    const { key = store.key, headers: more = [] } = extra;
    const headers: Headers = [['Host', 'pets.test'], ...request.headers, ...more];
    const says = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
    const lines = [`${method} /v1${request.target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
    if (key !== null) lines.push(`Authorization: Bearer ${key}`);
    if (request.body && !says('content-type')) lines.push('Content-Type: application/json');
    if (request.body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(request.body)}`);
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${request.body ?? ''}`);
  }

  /** The headers of every answer at the path of a deprecated operation, whatever failed. */
  const announcement = ({ responses }: Operation): string[] =>
    responses['410'] === undefined ? [] : ['deprecation', 'sunset', 'link'];

  /** Sends a request. Returns all faults of the answer; a wrong status comes first. */
  async function faults(operation: Operation, request: GeneratedRequest, extra: Extra = {}): Promise<string[]> {
    const answer = await exchangeRaw(extra.url ?? store.service.url, bytesOf(operation, request, extra));
    const found = check.faultsOf(operation, answer);
    if (!request.statuses.includes(answer.status)) found.unshift(`not ${request.statuses.join(' or ')}`);
    const unannounced = announcement(operation).filter((name) => !answer.headers.has(name));
    found.push(...unannounced.map((name) => `header ${name} is missing`));
    return found.map((fault) => `${request.what}: ${answer.status} ${answer.text.slice(0, 100)}: ${fault}`);
  }

  async function forEach(work: (operation: Operation) => Promise<string[]>): Promise<string[]> {
    const found: string[] = [];
    for (const operation of document.operations) found.push(...(await work(operation)));
    return found;
  }

  /** The example of an operation, with the status that must answer it because of the circumstances. */
  const exampleWith = (operation: Operation, what: string, status: number): GeneratedRequest => ({
    ...generator.example(operation),
    what: `${operation.operationId} with ${what}`,
    statuses: [status],
  });

  /** Each group of requests runs at most once: in its own test, or in the test that needs all groups. */
  const groups = {
    examples: once(async () => {
      for (const operation of document.operations.filter(({ body }) => body)) {
        await faults(operation, generator.example(operation));
      }
      return forEach((operation) => faults(operation, generator.example(operation)));
    }),
    unchanged: once(() =>
      forEach(async (operation) => {
        if (operation.responses['304'] === undefined) return [];
        return faults(operation, exampleWith(operation, 'If-None-Match', 304), { headers: [['If-None-Match', '*']] });
      }),
    ),
    broken: once(() =>
      forEach(async (operation) => {
        const found: string[] = [];
        for (const request of generator.broken(operation)) found.push(...(await faults(operation, request)));
        return found;
      }),
    ),
    mistaken: once(() => forEach(makeMistakes)),
    repeated: once(() => forEach(repeatWithKey)),
    early: once(() => forEachUnder({ GET_PET_SUNSET: '2020-01-01', RATE_LIMIT_PER_MINUTE: '1' }, afterItsTime)),
    busy: once(() => forEachUnder({ SHED_MAX_INFLIGHT: '1', ...PATIENT }, whileBusy)),
    late: once(() => forEachUnder({ HTTP_HEADERS_TIMEOUT_MS: '500', HTTP_REQUEST_TIMEOUT_MS: '500' }, tooSlowly)),
    held: once(() => forEach(repeatInFlight)),
    faulty: once(async () => {
      await store.database.query('ALTER TABLE pet RENAME TO pet_away');
      const found = await forEach((operation) => faults(operation, exampleWith(operation, 'no table', 500)));
      await store.database.query('ALTER TABLE pet_away RENAME TO pet');
      return found;
    }),
  };

  async function makeMistakes(operation: Operation): Promise<string[]> {
    const [, scope = ''] = /Needs the scope `([^`]+)`/.exec(operation.description) ?? [];
    const others = ['pets:read', 'pets:write'].filter((other) => other !== scope);
    const mistakes: Mistake[] = [
      ...MISTAKES,
      ...(operation.body === undefined ? [] : BODY_MISTAKES),
      ['another scope', 403, { key: await storeKey(store.database, { scopes: others }) }],
      ['an expired key', 401, { key: await storeKey(store.database, { expiresAt: 1 }) }],
      ['a long URL', 414, {}, { target: `${generator.example(operation).target}?x=${'x'.repeat(9000)}` }],
    ];
    const found: string[] = [];
    for (const [what, status, extra, change] of mistakes) {
      found.push(...(await faults(operation, { ...exampleWith(operation, what, status), ...change }, extra)));
    }
    return found;
  }

  const takesKey = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'Idempotency-Key');

  async function repeatWithKey(operation: Operation): Promise<string[]> {
    if (!takesKey(operation)) return [];
    const headers: Headers = [['Idempotency-Key', `repeated-${operation.operationId}`]];
    const first = exampleWith(operation, 'a new Idempotency-Key', 201);
    const [other] = fc.sample(generator.valid(operation), { numRuns: 1, seed: 4711 });
    return [
      ...(await faults(operation, first, { headers })),
      ...(await faults(operation, { ...first, what: 'the same once more' }, { headers })),
      ...(await faults(operation, { ...other!, what: 'another body', headers: [], statuses: [422] }, { headers })),
    ];
  }

  async function repeatInFlight(operation: Operation): Promise<string[]> {
    if (!takesKey(operation)) return [];
    const extra: Extra = { headers: [['Idempotency-Key', `held-${operation.operationId}`]] };
    const release = await holdWrites(engine, store);
    const twice = [1, 2].map(() =>
      faults(operation, { ...generator.example(operation), what: 'two at once', statuses: [201, 409] }, extra),
    );
    // The second request gives up before the first may go on.
    await Promise.race(twice);
    await release();
    return (await Promise.all(twice)).flat();
  }

  /** Runs `work` for each operation on another service with the same database. */
  async function forEachUnder(
    env: Readonly<Record<string, string>>,
    work: (operation: Operation, url: string) => Promise<string[]>,
  ): Promise<string[]> {
    const service = await Service.start({ database: store.database, env });
    const found = await forEach((operation) => work(operation, service.url));
    await service.stop();
    return found;
  }

  async function afterItsTime(operation: Operation, url: string): Promise<string[]> {
    const key = await storeKey(store.database, { client: operation.operationId });
    const first =
      operation.responses['410'] === undefined
        ? generator.example(operation)
        : exampleWith(operation, 'its sunset behind it', 410);
    return [
      ...(await faults(operation, first, { key, url })),
      ...(await faults(operation, exampleWith(operation, 'no quota left', 429), { key, url })),
    ];
  }

  async function whileBusy(operation: Operation, url: string): Promise<string[]> {
    const [posting] = document.operations.filter(({ body }) => body);
    const release = await holdWrites(engine, store);
    const occupying = exchangeRaw(url, bytesOf(posting!, generator.example(posting!), {}));
    // The occupying request counts as soon as the service processes it.
    const bytes = bytesOf(operation, generator.example(operation), {});
    for (let left = 500; left > 0 && (await exchangeRaw(url, bytes)).status !== 503; left--);
    const found = await faults(operation, exampleWith(operation, 'another request in work', 503), { url });
    await release();
    await occupying;
    return found;
  }

  async function tooSlowly(operation: Operation, url: string): Promise<string[]> {
    const connection = await RawConnection.open(url);
    // A GET ends with its head, so its last byte is missing.
    const bytes = bytesOf(operation, generator.example(operation), {});
    connection.send(bytes.subarray(0, -1));
    const answer: RawResponse = await connection.receive();
    connection.close();
    const found = check.faultsOf(operation, answer);
    return answer.status === 408 ? found : [`${operation.operationId} in part: ${answer.status}`, ...found];
  }

  it('the examples succeed as they stand', async () => {
    expect(await groups.examples()).toEqual([]);
  });

  it('whatever the schemas allow succeeds', async () => {
    await groups.examples();
    const usedKeys = new Set<string>();
    for (const operation of document.operations) {
      await fc.assert(
        fc.asyncProperty(generator.valid(operation), async (request) => {
          // An Idempotency-Key that is used for two bodies is refused.
          const [, key] = request.headers.find(([name]) => name === 'Idempotency-Key') ?? [];
          fc.pre(key === undefined || !usedKeys.has(bare(key)));
          if (key !== undefined) usedKeys.add(bare(key));
          expect(await faults(operation, request)).toEqual([]);
        }),
        { numRuns: 80 },
      );
    }
  });

  it('each page that a Link leads to is as declared', async () => {
    const found = await forEach(async (operation) => {
      if (!operation.parameters.some(({ name }) => name === 'cursor')) return [];
      const [posting] = document.operations.filter(({ body }) => body);
      for (let left = 3; left > 0; left--) await faults(posting!, generator.example(posting!));
      let target: string | undefined = `${operation.path}?limit=1`;
      const all: string[] = [];
      for (let left = 3; left > 0; left--) {
        const request: GeneratedRequest = {
          what: String(target),
          target: String(target),
          headers: [],
          statuses: [200],
        };
        all.push(...(await faults(operation, request)));
        const { headers } = await store.client.get(`/v1${String(target)}`);
        target = /<[^>]*\/v1(\/[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
        if (target === undefined && left > 1) all.push('no next page');
      }
      return all;
    });
    expect(found).toEqual([]);
  });

  it('what has not changed is 304', async () => {
    await groups.examples();
    expect(await groups.unchanged()).toEqual([]);
  });

  it('each constraint of the schemas, broken alone, is refused', async () => {
    const before = await store.countPets();
    expect(await groups.broken()).toEqual([]);
    expect(await store.countPets()).toBe(before);
  });

  it('each mistake of a client is answered as declared', async () => {
    const before = await store.countPets();
    expect(await groups.mistaken()).toEqual([]);
    expect(await store.countPets()).toBe(before);
  });

  it('a repeat is replayed, with another body refused, in flight put off', async () => {
    expect([...(await groups.repeated()), ...(await groups.held())]).toEqual([]);
  });

  it.each([
    ['a removed operation and a spent quota', groups.early],
    ['a busy service', groups.busy],
    ['a client that is too slow', groups.late],
    ['a fault inside', groups.faulty],
  ])('%s is answered as declared', async (_, group) => {
    expect(await group()).toEqual([]);
  });

  it('each declared answer, and each declared code, is given by someone', async () => {
    for (const group of Object.values(groups)) await group();
    expect(check.unseen).toEqual([]);
  });
});

const bare = (key: string): string => key.replace(/^"(.*)"$/, '$1');

/** Makes every insert of a pet wait until the returned function is called. */
async function holdWrites(engine: Engine, { database }: Served): Promise<() => Promise<void>> {
  if (engine.name === 'mysql') {
    await database.query("DO GET_LOCK('held', 10)");
    await database.query(
      "CREATE TRIGGER held BEFORE INSERT ON pet FOR EACH ROW BEGIN DO GET_LOCK('held', 10); DO RELEASE_LOCK('held'); END",
    );
    return async () => {
      await database.query("DO RELEASE_LOCK('held')");
      await database.query('DROP TRIGGER held');
    };
  }
  const connection = new Sqlite(database.url.slice('sqlite:'.length));
  connection.exec('BEGIN IMMEDIATE');
  return () => Promise.resolve(void connection.exec('ROLLBACK').close());
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
