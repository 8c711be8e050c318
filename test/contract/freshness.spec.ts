import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { onEachEngine, onMysql } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { HttpClient } from '../support/http.js';
import { serveOn, SET_UP_LIMIT_MS, type Served } from '../support/served.js';
import { Service } from '../support/service.js';

interface Pet {
  readonly id: number;
  readonly name: string;
}

const WRITERS = 8;
const READERS = 8;
/** All readers read this page. It has room for all pets that are sold. */
const PAGE = '/v1/pets?limit=100&status=sold';

/**
 * Creates pets one after another, and reads each as soon as it is acknowledged.
 *
 * @returns the reads that missed a pet.
 */
async function writeAndLook({ client }: Served, reader: HttpClient, names: readonly string[]): Promise<string[]> {
  const missed: string[] = [];
  for (const name of names) {
    const made = await client.post('/v1/pets', { name, categoryId: 1, status: 'sold' });
    expect(made.status).toBe(201);
    const { id } = made.json() as Pet;
    const [byId, page] = await Promise.all([reader.get(`/v1/pets/${id}`), reader.get(PAGE)]);
    if (byId.status !== 200 || (byId.json() as Pet).name !== name) missed.push(`${name} by id`);
    if (!(page.json() as Pet[]).some((pet) => pet.id === id && pet.name === name)) missed.push(`${name} in the list`);
  }
  return missed;
}

/** Does so with many writers, while other clients read the page all the time. */
async function missedUnderLoad(store: Served, reader: HttpClient, petsOfEach: number): Promise<string[]> {
  let writing = true;
  const reading = Array.from({ length: READERS }, async () => {
    while (writing) expect((await reader.get(PAGE)).status).toBe(200);
  });
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    Array.from({ length: petsOfEach }, (_, number) => `${writer}-${number}`),
  );
  const missed = await Promise.all(writers.map((names) => writeAndLook(store, reader, names)));
  writing = false;
  await Promise.all(reading);
  return missed.flat();
}

onEachEngine('a read after an acknowledged write', (engine) => {
  const store = serveOn(engine);

  it('sees it, however many read the same page and add pets at the same time', async () => {
    expect(await missedUnderLoad(store, store.client, 8)).toEqual([]);
  });
});

onMysql('a read on another replica, whose connection to the database is slow', (engine) => {
  const store = serveOn(engine);
  let proxy: FaultyProxy;
  let far: Service;
  let reader: HttpClient;

  beforeAll(async () => {
    proxy = await FaultyProxy.listen(Number(new URL(store.database.url).port));
    far = await Service.start({
      database: { url: proxy.through(store.database.url) },
      // A new connection needs several round trips.
      env: { DATABASE_ACQUIRE_TIMEOUT_MS: '5000', REQUEST_DEADLINE_MS: '10000' },
    });
    reader = new HttpClient(far.url, store.key);
    proxy.delay(30);
  }, SET_UP_LIMIT_MS);
  afterAll(async () => {
    await far.stop();
    await proxy.stop();
  });

  // A result is in transit for long after the server has read it. A request that shared it would miss later writes.
  it('sees an acknowledged write too', async () => {
    expect(await missedUnderLoad(store, reader, 4)).toEqual([]);
  });
});
