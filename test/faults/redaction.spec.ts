import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inventKey, storeKey } from '../support/api-keys.js';
import { Canary } from '../support/canary.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { freePort } from '../support/ports.js';
import { RawConnection } from '../support/raw-http.js';
import { Service } from '../support/service.js';

/** Beyond 2^53, so that no duration or size contains it by chance. */
const CATEGORY = '7331733173317331';

/** Unescaped, this text would begin a new log line, or move the cursor of a terminal. */
const FORGED = '\r\n{"level":"info","event":"forged"}\r\n\u2028\u0085\u009b2J\u001b[2J';

const canary = {
  pet: new Canary('pet'),
  otherPet: new Canary('other-pet'),
  category: new Canary('category', CATEGORY),
  idempotencyKey: new Canary('idempotency-key'),
  query: new Canary('query'),
  path: new Canary('path'),
  header: new Canary('header'),
  forwarded: new Canary('forwarded'),
  field: new Canary('field'),
  basic: new Canary('basic'),
  redis: new Canary('redis'),
  stored: new Canary('stored'),
  unknownKey: Canary.ofKey('unknown-key', inventKey()),
  malformedKey: Canary.ofKey('malformed-key', `${inventKey()}x`),
};

/** Sends all kinds of valid and invalid requests, with a canary in every part of them. */
async function plant(service: Service, key: string): Promise<string[]> {
  const errors: string[] = [];
  const headers = {
    cookie: `session=${canary.header.text}`,
    referer: `http://a.test/${canary.header.text}`,
    'user-agent': canary.header.text,
    'proxy-authorization': `Basic ${Buffer.from(`a:${canary.basic.text}`).toString('base64')}`,
    'x-forwarded-for': canary.forwarded.text,
    'x-forwarded-host': canary.forwarded.text,
    forwarded: `for=${canary.forwarded.text}`,
    'x-request-id': `not a request id: ${canary.header.text}`,
    traceparent: canary.header.text,
    tracestate: `a=${canary.header.text}`,
    'x-secret': canary.header.text,
    'if-none-match': `"${canary.header.text}"`,
    origin: `http://${canary.header.text}.test`,
  };
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<void> => {
    const client = new HttpClient(service.url, more['key'] ?? key);
    const { key: _, ...rest } = more;
    const answer = await client.request(method, path, { headers: { ...headers, ...rest }, body });
    if (answer.status >= 400) errors.push(`${answer.text}\n${[...answer.headers].join('\n')}`);
  };

  const pet = (name = canary.pet.text): string => `{"name":"${name}","categoryId":${CATEGORY}}`;
  for (const bad of [canary.unknownKey.text, canary.malformedKey.text, canary.basic.text]) {
    await ask('GET', '/v1/pets', undefined, { key: bad });
    await ask('POST', '/v1/pets', pet(), { key: bad });
  }
  await ask('GET', '/v1/pets', undefined, { authorization: `Basic ${btoa(`a:${canary.basic.text}`)}` });
  await ask('GET', `/v1/pets?access_token=${canary.unknownKey.text}&limit=${canary.query.text}`);
  for (const name of ['status', 'cursor', 'limit', 'x']) await ask('GET', `/v1/pets?${name}=${canary.query.text}`);
  await ask('GET', `/v1/pets?limit=1&limit=${canary.query.text}`);
  for (const path of [`/v1/pets/${canary.path.text}`, `/${canary.path.text}`, `/v1/pets/%ff${canary.path.text}`]) {
    await ask('GET', path);
    await ask('DELETE', path);
  }
  await ask('POST', '/v1/pets', pet());
  const once = { 'idempotency-key': canary.idempotencyKey.text };
  await ask('POST', '/v1/pets', pet(canary.otherPet.text), once);
  await ask('POST', '/v1/pets', pet('changed'), once);
  await ask('POST', '/v1/pets', pet(), { 'idempotency-key': `${canary.idempotencyKey.text} ` + 'x'.repeat(300) });
  for (const body of [
    `{"name":${canary.field.text}`,
    `{"name":"\\u0000${canary.field.text}","categoryId":"${canary.field.text}","status":"${canary.field.text}"}`,
    `{"name":"${canary.field.text}","name":"x","categoryId":1}`,
    `${pet()}${canary.field.text}`,
    `[${pet()}]`,
    pet(canary.field.text.repeat(1000)),
  ]) {
    await ask('POST', '/v1/pets', body);
  }
  await ask('POST', '/v1/pets', pet(), { 'content-type': canary.header.text });
  await ask('POST', '/v1/pets', pet(), { 'content-encoding': canary.header.text });
  await ask('GET', '/v1/pets', undefined, { accept: canary.header.text });
  await ask('GET', '/v1/pets/1');
  // These request ids are accepted, so they are logged without their secret parts.
  for (const id of [key, `id_${canary.unknownKey.text}`])
    await ask('GET', '/v1/pets', undefined, { 'x-request-id': id });
  for (const name of [FORGED, `a\u2028${canary.pet.text}`, canary.field.text.repeat(3000)]) {
    await ask('POST', '/v1/pets', JSON.stringify({ name, categoryId: 1 }));
  }
  await ask('POST', '/v1/pets', `{"name":"${FORGED}`);
  for (const path of ['/v1/pets?status=', '/v1/pets?cursor=', '/v1/pets/', '/']) {
    await ask('GET', path + encodeURIComponent(FORGED));
  }
  errors.push(...(await plantBelowHttp(service, key)));
  return errors;
}

/** Sends bytes that no HTTP client would send. */
async function plantBelowHttp(service: Service, key: string): Promise<string[]> {
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const answers: string[] = [];
  for (const bytes of [
    `GET http://a:${canary.query.text}@b.test/v1/pets?x=1 HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`,
    `GET /v1/pets HTTP/1.1\r\nHost: ${canary.header.text}\r\n${authorization}Broken ${canary.header.text}\r\n\r\n`,
    `${canary.header.text} /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /v1/nope HTTP/1.1\r\nHost: a\r\n${authorization}User-Agent: \u0085\u009b2J\r\nX-Request-Id: \u009b2J\r\n\r\n`,
    `GET /v1/nope HTTP/1.1\r\nHost: a\r\n${authorization}X-Request-Id: ${FORGED}\r\n\r\n`,
    `GET /v1/pets?${canary.query.text}${'x'.repeat(9000)} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`,
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${authorization}X: ${canary.header.text.repeat(2000)}\r\n\r\n`,
  ]) {
    const connection = await RawConnection.open(service.url);
    connection.send(Buffer.from(bytes, 'latin1'));
    const { statusLine, text, rawHeaders } = await connection.receive();
    if (!statusLine.includes(' 200 ')) answers.push(`${statusLine}\n${rawHeaders.join('\n')}\n${text}`);
    connection.close();
  }
  return answers;
}

/** Makes the database refuse values and return invalid ones. The driver's message quotes a value. */
async function breakDatabase(database: TestDatabase, service: Service, key: string): Promise<string[]> {
  const client = new HttpClient(service.url, key);
  await database.query('CREATE UNIQUE INDEX unique_name ON pet (name)');
  const duplicate = await client.post('/v1/pets', { name: canary.otherPet.text, categoryId: 1 });
  expect(duplicate).toBeErrorShape(500, 'internal_error');
  await database.query(`UPDATE pet SET status = ? WHERE name = ?`, ['sold!', canary.otherPet.text]);
  await database.query('DELETE FROM pet WHERE name = ?', [canary.pet.text]);
  const unknown = await client.get('/v1/pets');
  await database.query('DROP TABLE pet');
  const missing = await client.get('/v1/pets');
  expect(missing).toBeErrorShape(500, 'internal_error');
  return [duplicate.text, missing.text, unknown.status >= 400 ? unknown.text : ''];
}

function expectNothingOf(canaries: readonly Canary[], text: string): void {
  expect(canaries.flatMap((one) => one.formsIn(text))).toEqual([]);
}

const trace = async (more: Record<string, string> = {}): Promise<Record<string, string>> => ({
  LOG_LEVEL: 'trace',
  AUTH_FAILURES_PER_MINUTE: '0',
  TRUST_PROXY: '1',
  REDIS_URL: `redis://a:${canary.redis.text}@127.0.0.1:${String(await freePort())}`,
  ...more,
});

onEachEngine('secrets', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  let errors: string[];

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, env: await trace() });
    key = await storeKey(database);
    errors = await plant(service, key);
    errors.push(...(await breakDatabase(database, service, key)));
    errors.push((await new HttpClient(service.managementUrl).get(`/${canary.path.text}`)).text);
  });

  afterAll(async () => {
    await database.drop();
  });

  const secrets = (): Canary[] => {
    const { username, password } = new URL(database.url.replace('sqlite:', 'sqlite://none/'));
    const login = decodeURIComponent(password);
    return [
      ...Object.values(canary),
      Canary.ofKey('key', key),
      ...(username === '' ? [] : [new Canary('database password', login), new Canary('in its URL', password)]),
    ];
  };

  it('are in no error that a client gets', () => {
    expect(errors.length).toBeGreaterThan(30);
    expectNothingOf(secrets(), errors.join('\n'));
  });

  it('are in no metric', async () => {
    expectNothingOf(secrets(), (await new HttpClient(service.managementUrl).get('/metrics')).text);
  });

  it('are in nothing that the process prints, from its start to its end', async () => {
    await service.stop();
    expect(service.log.filter((line) => line['event'] === 'http.request').length).toBeGreaterThan(30);
    expect(service.log.filter((line) => line['event'] === 'request.failed').length).toBeGreaterThan(1);
    expectNothingOf(secrets(), service.output);
  });

  it('take no line of the log apart: each is one JSON object', () => {
    const lines = service.output.trimEnd().split(/\r\n|[\r\n\u2028\u2029\u0085]/);
    expect(lines.length).toBe(service.log.length);
    expect(service.output).toMatch(/^[\x20-\x7e\n]*$/);
    expect(service.log.map(({ event }) => event)).not.toContain('forged');
  });
});

describe('secrets in a log for people', () => {
  it('are not in it either', async () => {
    const database = await createSqliteDatabase();
    const port = String(await freePort());
    const service = Service.launch({ database, env: await trace({ LOG_FORMAT: 'pretty', PORT: port }) });
    service.url = `http://127.0.0.1:${port}`;
    while (!service.output.includes('Ready at')) await sleep(20);
    const key = await storeKey(database);
    await plant(service, key);
    await breakDatabase(database, service, key);
    await service.stop();
    expect(service.output).toContain('request');
    expectNothingOf([...Object.values(canary), Canary.ofKey('key', key)], service.output);
    await database.drop();
  });
});
