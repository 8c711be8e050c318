import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import {
  ClientContext,
  CurrentClient,
  defineFeature,
  pets,
  PolicyFor,
  Public,
  type Client,
  type ObjectPolicy,
  type Pet,
} from '../index.js';
import { startTestApplication, type TestApplication } from './index.js';

@Injectable()
class WhoService {
  constructor(private readonly context: ClientContext) {}

  async who(): Promise<object> {
    await Promise.resolve();
    return { client: this.context.client ?? null, reads: this.context.may('pets:read') };
  }
}

@Controller('who')
class WhoController {
  constructor(private readonly service: WhoService) {}

  @Get()
  async getWho(@CurrentClient() client: Client): Promise<object> {
    return { ...client, service: await this.service.who() };
  }

  @Get('anyone')
  @Public()
  async getAnyone(@CurrentClient() client: Client | undefined): Promise<object> {
    return { client: client ?? null, service: await this.service.who() };
  }
}

/** Pets with odd ids are visible only to a client with every scope. */
@Injectable()
@PolicyFor('pet')
class EvenPets implements ObjectPolicy<Pet> {
  allows({ id }: Pet, client: Client | undefined): boolean {
    return id % 2n === 0n || client?.scopes.includes('*') === true;
  }
}

@Module({ controllers: [WhoController], providers: [WhoService, EvenPets] })
class WhoModule {}

const who = defineFeature({ name: 'who', platform: '^1.0.0', module: WhoModule });

let application: TestApplication;

afterEach(() => application.stop());

describe('a feature', () => {
  it('knows who is calling, in a handler and in a service', async () => {
    application = await startTestApplication({ features: [pets, who] });
    const reader = await application.clientWith('pets:read', 'other:read');
    const { service, ...caller } = (await reader.get('/v1/who')).json() as { service: object };
    expect(caller).toEqual({
      name: 'test',
      keyId: expect.stringMatching(/^\w{8}$/),
      scopes: ['pets:read', 'other:read'],
    });
    expect(service).toEqual({ client: caller, reads: true });
    expect((await application.anonymous.get('/v1/who/anyone')).json()).toEqual({
      client: null,
      service: { client: null, reads: false },
    });
  });

  it('decides on single objects of another: who may not see one is told that there is none', async () => {
    application = await startTestApplication({ features: [pets, who] });
    const reader = await application.clientWith('pets:read');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await application.client.post('/v1/pets', { name, categoryId: 1 });
    const [denied, absent] = await Promise.all([reader.get('/v1/pets/3'), reader.get('/v1/pets/4711')]);
    expect([denied.status, denied.text]).toEqual([404, absent.text]);
    expect([...denied.headers.keys()].sort()).toEqual([...absent.headers.keys()].sort());
    expect((await application.client.get('/v1/pets/3')).status).toBe(200);
    expect((await reader.get('/v1/pets/4')).status).toBe(200);

    const seen: unknown[] = [];
    let path: string | undefined = '/v1/pets?limit=1';
    for (let pages = 0; path !== undefined && pages < 6; pages++) {
      const page = await reader.get(path);
      seen.push(...(page.json() as { id: number }[]).map(({ id }) => id));
      path = /<[^>]*(\/v1\/[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toStrictEqual([2, 4]);
    expect(path).toBeUndefined();
  });
});
