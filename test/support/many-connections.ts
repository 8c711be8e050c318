import { randomUUID } from 'node:crypto';
import type { Answer, HttpClient } from './http.js';

/**
 * Asks for so many things at the same time that each takes a connection to the database of its own. Reads, and creates
 * without a key, would travel together; a create with `Idempotency-Key` is a transaction.
 */
export function askOnConnections(client: HttpClient, count: number): Promise<Answer>[] {
  return Array.from({ length: count }, (_, n) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    return client.post('/v1/pets', { name: `On a connection of its own ${n}`, categoryId: 1 }, { headers });
  });
}
