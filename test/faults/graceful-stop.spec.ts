import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine, onMysql } from '../support/engines.js';
import { noteFigure } from '../support/figures.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { RawConnection } from '../support/raw-http.js';
import { Service } from '../support/service.js';

/** Keep-alive connections under load, and the minimum of requests before the signal. */
const CLIENTS = Number(process.env['STOP_CLIENTS'] ?? 60);
const REQUESTS = Number(process.env['STOP_REQUESTS'] ?? 200);
const DELAY_MS = 2000;
const NAPS = ['features/sleeper.feature.ts'];

/** Sends requests on one keep-alive connection until the service closes it. Wrong answers are in `failures`. */
class KeepAliveClient {
  created = 0;
  answered = 0;
  readonly failures: string[] = [];

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly pauseMs: number,
  ) {}

  async askUntilClosed(): Promise<void> {
    const connection = await RawConnection.open(this.url);
    try {
      for (let turn = 0; ; turn++) {
        // A connection that is closed while idle loses nothing.
        if (connection.isClosed) return;
        connection.send(this.request(turn));
        const { status, headers } = await connection.receive();
        this.answered += 1;
        if (status === 201) this.created += 1;
        else if (status !== 200) this.failures.push(String(status));
        if (headers.get('connection') === 'close') return;
        await sleep(this.pauseMs);
      }
    } catch (error) {
      this.failures.push(String(error));
    } finally {
      connection.close();
    }
  }

  private request(turn: number): string {
    const head = `HTTP/1.1\r\nHost: pets.test\r\nAuthorization: Bearer ${this.key}\r\n`;
    if (turn % 3 !== 0) return `GET /v1/pets?limit=${String(turn % 3)} ${head}\r\n`;
    const body = '{"name":"Lumi","categoryId":1}';
    return `POST /v1/pets ${head}Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  }
}

onMysql('SIGTERM under load', (engine) => {
  it('loses nothing: unready first, connections told to close, the database last; twice is once', async () => {
    const database = await engine.createDatabase();
    const env = { ...PATIENT, SHUTDOWN_DELAY_MS: String(DELAY_MS), RATE_LIMIT_PER_MINUTE: '0' };
    const service = await Service.start({ database, env });
    const key = await storeKey(database);
    const management = new HttpClient(service.managementUrl);
    const clients = Array.from(
      { length: CLIENTS },
      (_, at) => new KeepAliveClient(service.url, key, at % 3 === 0 ? 200 : 0),
    );
    const asking = Promise.all(clients.map((each) => each.askUntilClosed()));
    const answered = (): number => clients.reduce((sum, each) => sum + each.answered, 0);
    while (answered() < REQUESTS || clients.some((each) => each.answered < 3)) await sleep(50);

    const signalled = performance.now();
    service.signal('SIGTERM');
    await service.untilLogged(({ event }) => event === 'app.draining');
    expect((await management.get('/readyz')).status).toBe(503);
    expect((await management.get('/livez')).status).toBe(200);
    service.signal('SIGTERM');
    // A client that does not know yet is still served.
    expect((await new HttpClient(service.url, key).get('/v1/pets?limit=1')).status).toBe(200);
    await asking;
    expect(await service.exited).toEqual({ code: 0, signal: null });
    noteFigure('stopped under load: ended, after SHUTDOWN_DELAY_MS', performance.now() - signalled - DELAY_MS, 5000);
    noteFigure('stopped under load: served, none failed', answered(), undefined, 'requests');

    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
    const created = clients.reduce((sum, each) => sum + each.created, 0);
    expect(await database.query('SELECT COUNT(*) AS pets FROM pet')).toEqual([{ pets: BigInt(created) }]);
    const left = "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND user <> 'root'";
    expect(await database.query(left)).toEqual([]);
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    expect(service.log.at(-1)).toMatchObject({ event: 'app.stopped' });
    await database.drop();
  }, 300_000);
});

describe('SIGTERM while a body arrives', () => {
  it('says 408 to who sends too slowly, as at any other time', async () => {
    const database = await createSqliteDatabase();
    const service = await Service.start({ database, env: { ...PATIENT, HTTP_REQUEST_TIMEOUT_MS: '6000' } });
    const head = `POST /v1/pets HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${await storeKey(database)}\r\n`;
    const connection = await RawConnection.open(service.url);
    connection.send(`${head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`);
    while ((await metricValue(service.managementUrl, 'http_server_active_requests')) === 0) await sleep(10);
    service.signal('SIGTERM');
    expect(await connection.receive()).toMatchObject({ status: 408 });
    expect(await connection.untilClosed()).toBe(true);
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
    await database.drop();
  });
});

describe('what a feature does when it is stopped', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(() => database.drop());

  it('does not take from its requests what its hooks free', async () => {
    const service = await Service.start({
      database,
      ...hosting({ features: NAPS, env: { SHUTDOWN_DELAY_MS: '500' } }),
    });
    const client = new HttpClient(service.url, await storeKey(database));
    const inFlight = client.get('/v1/naps');
    await sleep(100);
    service.signal('SIGTERM');
    await service.untilLogged(({ event }) => event === 'app.draining');
    const late = client.get('/v1/naps');
    expect([(await inFlight).status, (await late).status]).toEqual([200, 200]);
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });

  it('is named and cut off when it does not end', async () => {
    const env = { TEST_SLEEPS_IN: 'onModuleDestroy', SHUTDOWN_TIMEOUT_MS: '500' };
    const service = await Service.start({ database, ...hosting({ features: NAPS, env }) });
    expect(await service.stop()).toEqual({ code: 1, signal: null });
    expect(service.log.find(({ event }) => event === 'app.cut_off')).toMatchObject({
      level: 'error',
      hooks: [{ feature: 'sleeper', work: 'Bed.onModuleDestroy' }],
    });
    expect(service.log.at(-1)).toMatchObject({ event: 'app.stopped' });
  });
});

describe('a signal during the start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s: a feature that begins for ever ends at once', async (signal) => {
    const features = hosting({ features: NAPS, env: { TEST_SLEEPS_IN: 'onModuleInit' } });
    const service = Service.launch({ database: { url: 'sqlite::memory:' }, ...features });
    await service.untilLogged(({ event }) => event === 'sleeper.asleep');
    expect(await service.kill(signal)).toEqual({ code: 0, signal: null });
  });

  it('that comes before Node handles signals ends the process by the signal', async () => {
    const service = Service.launch({ database: { url: 'sqlite::memory:' } });
    expect(await service.kill('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

async function isTaken(database: TestDatabase, migration: string): Promise<boolean> {
  try {
    return (await database.query('SELECT id FROM migration WHERE name LIKE ?', [migration])).length > 0;
  } catch {
    // The table does not exist yet.
    return false;
  }
}

onEachEngine('a signal during migrations', (engine) => {
  it('lets the one that is under way end, begins no other, and leaves the lock to others', async () => {
    const database = await engine.createDatabase();
    const options = { database, ...hosting({ features: ['features/granary.feature.ts'] }) };
    const service = Service.launch(options);
    await service.untilLogged(({ event }) => event === 'app.starting');
    while (!(await isTaken(database, 'CreatePets%'))) await sleep(20);
    await sleep(500);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.log.some(({ event }) => event === 'app.ready')).toBe(false);
    expect(await isTaken(database, 'CreateGrains%')).toBe(true);
    expect(await database.query('SELECT id FROM migration_lock')).toEqual([]);
    const next = await Service.start(options);
    expect(await next.stop()).toEqual({ code: 0, signal: null });
    await database.drop();
  });
});
