import { expect, it } from '@jest/globals';
import { pets } from '../index.js';
import { startTestApplication } from './index.js';

it('a reset forgets pets and what was answered to an Idempotency-Key, and leaves the keys', async () => {
  const application = await startTestApplication({ features: [pets] });
  const reader = await application.clientWith('pets:read');
  const create = () =>
    application.client.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers: { 'idempotency-key': 'one' } });
  for (let round = 0; round < 2; round++) {
    const created = await create();
    expect([created.status, created.headers.get('idempotent-replayed')]).toStrictEqual([201, null]);
    expect((await create()).headers.get('idempotent-replayed')).toBe('true');
    expect((await reader.get('/v1/pets')).json()).toMatchObject([{ id: 1 }]);
    await application.reset();
    expect((await reader.get('/v1/pets')).json()).toStrictEqual([]);
  }
  await application.stop();
});
