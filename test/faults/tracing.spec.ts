import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicIdOf, storeKey } from '../support/api-keys.js';
import { Canary } from '../support/canary.js';
import { Collector, type Span } from '../support/collector.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { LoadedModules } from '../support/loaded-modules.js';
import { metricValue } from '../support/metrics.js';
import { freePort } from '../support/ports.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** Beyond 2^53, so that no duration or size contains it by chance. */
const CATEGORY = 7331733173317331n;

const canary = {
  pet: new Canary('pet'),
  category: new Canary('category', String(CATEGORY)),
  idempotencyKey: new Canary('idempotency-key'),
  query: new Canary('query'),
  header: new Canary('header'),
  collector: new Canary('collector'),
};

const exporting = (collector: { readonly url: string }, more: Record<string, string> = {}): Record<string, string> => ({
  OTEL_SDK_DISABLED: 'false',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${canary.collector.text}`,
  ...more,
});

/** The trace id of a caller, and its header. */
function caller(digit: string): { traceId: string; headers: { traceparent: string } } {
  const traceId = digit.repeat(32);
  return { traceId, headers: { traceparent: `00-${traceId}-${'c'.repeat(16)}-01` } };
}

onEachEngine('traces', (engine) => {
  let database: TestDatabase;
  let collector: Collector;
  let service: Service;
  let client: HttpClient;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    collector = await Collector.start();
    const env = exporting(collector, {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      PUBLIC_BASE_URL: 'https://pets.example/v1',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'trace',
      DATABASE_QUERY_TIMEOUT_MS: '10000',
      REQUEST_DEADLINE_MS: '20000',
    });
    service = await Service.start({ database, env });
    key = await storeKey(database);
    client = new HttpClient(service.url, key);
  });

  afterAll(async () => {
    await collector.stop();
    await database.drop();
  });

  const serverSpan = (traceId: string): Promise<Span> =>
    collector.until((span) => span.kind === 'server' && span.traceId === traceId);
  const statements = (parent: Span): readonly Span[] =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

  it('go from the caller over the request to the statement', async () => {
    const { traceId, headers } = caller('1');
    const body = { name: canary.pet.text, categoryId: CATEGORY };
    const sent = { ...headers, 'user-agent': 'pets-app/1', 'x-forwarded-for': '192.0.2.7' };
    const created = await client.post(`/v1/pets?x=${canary.query.text}&y`, body, { headers: sent });
    expect(created.status).toBe(400);
    expect((await client.post('/v1/pets', body, { headers: caller('2').headers })).status).toBe(201);

    const refused = await serverSpan(traceId);
    expect(refused).toMatchObject({ name: 'POST /v1/pets', parentSpanId: 'c'.repeat(16), status: 'unset' });
    expect(refused.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/pets',
      'http.response.status_code': 400,
      'url.path': '/v1/pets',
      'url.scheme': 'https',
      'url.query': 'x=REDACTED&REDACTED',
      'server.address': 'pets.example',
      'client.address': '192.0.2.7',
      'user_agent.original': 'pets-app/1',
    });

    const span = await serverSpan(caller('2').traceId);
    const [insert] = statements(span).filter(({ name }) => name === 'INSERT pet');
    expect(insert).toMatchObject({ kind: 'client', status: 'unset', traceId: caller('2').traceId });
    expect(insert?.attributes).toEqual({
      'db.system.name': engine.name,
      'db.namespace': engine.name === 'mysql' ? new URL(database.url).pathname.slice(1) : 'main',
      'db.collection.name': 'pet',
      'db.operation.name': 'INSERT',
      'db.query.summary': 'INSERT pet',
      'db.query.text': expect.stringMatching(/^INSERT INTO .*VALUES \((\w+, )?\?, \?, \?\)/),
    });
    // OpenTelemetry reads the clock of a process in milliseconds.
    const slack = 2_000_000n;
    expect(BigInt(insert!.startTimeUnixNano) + slack).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(BigInt(insert!.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(span.endTimeUnixNano) + slack);
  });

  it('name the process', () => {
    expect(collector.resource).toMatchObject({
      'service.name': 'animal-store',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'deployment.environment.name': 'test',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(collector.exports[0]?.headers['authorization']).toBe(`Bearer ${canary.collector.text}`);
  });

  it('stand in the lines of the log', async () => {
    const { traceId, headers } = caller('3');
    await client.get('/v1/pets', { headers });
    const { spanId } = await serverSpan(traceId);
    const line = await service.untilLogged((each) => each['event'] === 'http.request' && each['trace_id'] === traceId);
    expect(line).toMatchObject({ trace_id: traceId, span_id: spanId });
  });

  it('begin here for a caller without one, and are not exported for one that does not sample', async () => {
    await client.get('/v1/pets', { headers: { 'user-agent': 'traceless' } });
    const own = await collector.until(({ attributes }) => attributes['user_agent.original'] === 'traceless');
    expect(own).not.toHaveProperty('parentSpanId', expect.stringMatching(/./));
    const { traceId, headers } = caller('4');
    await client.get('/v1/pets', { headers: { traceparent: headers.traceparent.replace(/01$/, '00') } });
    await client.get('/v1/nothing', { headers: caller('5').headers });
    const unmatched = await serverSpan(caller('5').traceId);
    expect(unmatched).toMatchObject({ name: 'GET', status: 'unset' });
    expect(unmatched.attributes).not.toHaveProperty(['http.route']);
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it('reach the one statement that answered many, each of them', async () => {
    const callers = Array.from({ length: 30 }, (_, index) => caller('6').traceId.slice(2) + String(index + 10));
    if (engine.name === 'mysql') await database.query('LOCK TABLES pet WRITE');
    const asked = callers.map((traceId) =>
      client.get('/v1/pets', { headers: { traceparent: `00-${traceId}-${'c'.repeat(16)}-01` } }),
    );
    while ((await metricValue(service.managementUrl, 'http_server_active_requests')) < 30 && engine.name === 'mysql') {
      await sleep(20);
    }
    if (engine.name === 'mysql') await database.query('UNLOCK TABLES');
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    const requests = await Promise.all(callers.map(serverSpan));
    const reads = collector.spans.filter(({ name }) => name === 'SELECT pet');
    const reached = requests.map((request) => {
      const own = reads.find(({ parentSpanId }) => parentSpanId === request.spanId);
      const shared = reads.find(
        ({ spanId, links }) => request.links.includes(spanId) && links.includes(request.spanId),
      );
      return own ?? shared;
    });
    expect(reached.filter((read) => read === undefined)).toStrictEqual([]);
    // Requests that came while the first read waited for the lock share the second. SQLite reads too fast for that.
    const isBatching = !process.env['TEST_OPTIMIZATIONS_OFF']?.split(',').includes('batching');
    if (engine.name === 'mysql' && isBatching) expect(new Set(reached).size).toBe(2);
  });

  it('are errors for what the service failed at', async () => {
    await database.query('ALTER TABLE pet RENAME TO pet_away');
    const { traceId, headers } = caller('7');
    expect(await client.get('/v1/pets', { headers })).toBeErrorShape(500, 'internal_error');
    await database.query('ALTER TABLE pet_away RENAME TO pet');
    const span = await serverSpan(traceId);
    expect(span).toMatchObject({ status: 'error' });
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': 'internal_error' });
    // The look-up of the key may have a span too.
    const isRead = ({ parentSpanId, name }: Span): boolean => parentSpanId === span.spanId && name === 'SELECT pet';
    const read = await collector.until(isRead);
    expect(read.status).toBe('error');
    const code = engine.name === 'mysql' ? '1146' : 'SQLITE_ERROR';
    expect(read.attributes).toMatchObject({ 'error.type': code, 'db.response.status_code': code });
  });

  it('hold no secret and no value of a statement', async () => {
    const headers = {
      cookie: canary.header.text,
      'x-secret': canary.header.text,
      baggage: `a=${canary.header.text}`,
      'idempotency-key': canary.idempotencyKey.text,
    };
    const pet = { name: canary.pet.text, categoryId: CATEGORY };
    await client.post('/v1/pets', pet, { headers });
    await client.post(`/v1/pets/${key}?${key}&${canary.query.text}=1&status=${canary.query.text}`, pet, { headers });
    await client.get('/v1/pets', { headers: { ...headers, ...caller('8').headers, 'user-agent': key } });
    await serverSpan(caller('8').traceId);
    await service.stop();
    const secrets = [...Object.values(canary), Canary.ofKey('key', key)];
    expect(collector.text).toContain(publicIdOf(key));
    expect(secrets.flatMap((one) => one.formsIn(collector.text))).toEqual([]);
    expect(secrets.flatMap((one) => one.formsIn(service.output))).toEqual([]);
    expect(service.log.filter(({ event }) => String(event).startsWith('tracing.'))).toEqual([]);
  });
});

describe('traces', () => {
  const folder = scratchFolder('loaded');
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(async () => {
    removeScratch(folder);
    await database.drop();
  });

  /** The loaded packages of OpenTelemetry, except its API, which prom-client loads. */
  const telemetryIn = (loaded: LoadedModules): string[] =>
    [...loaded.packages].filter((name) => /^@opentelemetry\/(?!api)/.test(name));

  it('that are off load nothing', async () => {
    const loaded = new LoadedModules(folder);
    const service = await Service.start({ database, env: loaded.env });
    expect((await new HttpClient(service.url, await storeKey(database)).get('/v1/pets')).status).toBe(200);
    await service.stop();
    expect(telemetryIn(loaded)).toEqual([]);
  });

  it('are exported before the process ends, as protobuf by default', async () => {
    const collector = await Collector.start();
    const loaded = new LoadedModules(folder);
    const env = exporting(collector, { ...loaded.env, OTEL_BSP_SCHEDULE_DELAY: '600000' });
    const service = await Service.start({ database, env });
    await new HttpClient(service.url, await storeKey(database)).get('/v1/pets');
    expect(collector.exports).toEqual([]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(telemetryIn(loaded)).toContain('@opentelemetry/sdk-trace');
    expect(collector.exports.map(({ path, headers }) => [path, headers['content-type']])).toStrictEqual([
      ['/v1/traces', 'application/x-protobuf'],
    ]);
    expect(collector.text).toContain('GET /v1/pets');
    expect(collector.text).toContain('SELECT pet');
    await collector.stop();
  });

  it.each(['is away', 'hangs'])('harm nothing when the collector %s', async (fault) => {
    const hanging = await Collector.start({ hangs: true });
    const url =
      fault === 'hangs' ? hanging.url : `http://me:${canary.collector.text}@127.0.0.1:${String(await freePort())}`;
    const more = {
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_TRACES_SAMPLER: `unknown-'${canary.collector.text}'`,
      OTEL_EXPORTER_OTLP_TIMEOUT: fault === 'is away' ? '300' : '60000',
    };
    const service = await Service.start({ database, env: exporting({ url }, more) });
    const client = new HttpClient(service.url, await storeKey(database));
    for (let times = 0; times < 20; times += 1) expect((await client.get('/v1/pets')).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    const [sampler, ...lines] = service.log.filter(({ event }) => String(event).startsWith('tracing.'));
    expect(sampler).toMatchObject({ msg: expect.stringMatching(/^OTEL_TRACES_SAMPLER is unknown/) });
    const away = { event: 'tracing.unavailable', level: 'warn', host: new URL(url).host, cause: 'ECONNREFUSED' };
    const late = { event: 'tracing.warning', msg: 'The last spans could not be exported in time' };
    expect(lines).toMatchObject([fault === 'hangs' ? late : away]);
    expect(service.output).not.toContain('OTLPExport');
    expect(canary.collector.formsIn(service.output)).toEqual([]);
    expect(service.log.at(-1)).toMatchObject({ event: 'app.stopped' });
    await hanging.stop();
  });
});
