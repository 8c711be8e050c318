import { randomUUID } from 'node:crypto';
import type { Answer, HttpClient } from './http.js';

/**
 * Sends so many requests at the same time that each uses its own connection to the database. Reads, and creates without
 * a key, would share one connection. A create with `Idempotency-Key` is a transaction.
 */
export function askOnConnections(client: HttpClient, count: number): Promise<Answer>[] {
  return Array.from({ length: count }, (_, n) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    return client.post('/v1/pets', { name: `On a connection of its own ${n}`, categoryId: 1 }, { headers });
  });
}
