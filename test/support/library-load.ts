import { expect } from '@jest/globals';
import type { TestDatabase } from './database.js';
import type { HttpClient } from './http.js';
import { Ledger, type Posted } from './ledger.js';

const body = (name: string): object => ({ name });

/** A transaction over injected repositories, with a row lock, a cascade, a subscriber and a soft delete. */
const AUTHORS: Posted = { path: '/v1/library/authors', table: 'library_author', body };

/** One `save` with a cascade and a subscriber, in the transaction that TypeORM makes. */
const NOTES: Posted = { path: '/v1/library/notes', table: 'library_author', body };

const POSTERS = 6;

/** Clients of `library.feature.ts`, some with an Idempotency-Key, and the promises that must hold for their answers. */
export class LibraryLoad {
  private readonly ledgers: readonly Ledger[];

  /** @param client called before each request. */
  constructor(client: () => HttpClient) {
    this.ledgers = [
      new Ledger(client, { posted: AUTHORS, posters: POSTERS }),
      new Ledger(client, { posted: NOTES, posters: POSTERS }),
      new Ledger(client, { posted: AUTHORS, posters: POSTERS, keyed: true }),
      new Ledger(client, { posted: NOTES, posters: POSTERS, keyed: true }),
    ];
  }

  begin(): void {
    for (const ledger of this.ledgers) ledger.begin();
  }

  /**
   * Resolves when `count` more requests of each kind of client are acknowledged. Rejects after `limitMs` milliseconds.
   */
  async untilAcknowledged(count: number, limitMs = 60_000): Promise<void> {
    await Promise.all(this.ledgers.map((ledger) => ledger.untilAcknowledged(count, limitMs)));
  }

  /**
   * Ends the load. Nothing acknowledged is lost, whichever database it was written to. Nothing that was refused is
   * stored, and every stored transaction is whole.
   *
   * @param databases that were written to, one after another.
   * @param breaks how often answers may have been lost, at most one per client each time.
   * @param statuses that clients may have got; 0 means no answer.
   */
  async expectKept(databases: readonly TestDatabase[], breaks = 1, statuses = [201, 409, 503]): Promise<void> {
    await Promise.all(this.ledgers.map((ledger) => ledger.end()));
    for (const ledger of this.ledgers) {
      const audits = await Promise.all(databases.map((database) => ledger.audit(database)));
      const lost = audits.map((audit) => audit.lost).reduce((all, some) => all.filter((name) => some.includes(name)));
      expect(lost).toEqual([]);
      expect(audits.flatMap(({ doubled, denied }) => [...doubled, ...denied])).toEqual([]);
      expect(audits.flatMap(({ extras }) => extras).length).toBeLessThanOrEqual(breaks * POSTERS);
      expect(statuses).toEqual(expect.arrayContaining([...ledger.statuses.keys()]));
      for (const answer of ledger.answers) {
        if (answer.status !== 409) expect(answer).toBeErrorShape(503, 'service_unavailable');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
      }
    }
    for (const database of databases) await expectWhole(database);
  }
}

/** Each transaction is stored whole, or not at all. */
export async function expectWhole(database: TestDatabase): Promise<void> {
  const torn = await database.query(`
    SELECT a.name AS name FROM library_author a
    WHERE (SELECT COUNT(*) FROM library_book b WHERE b.author_id = a.id) <> 2
      OR (SELECT COUNT(*) FROM library_entry e WHERE e.author = a.name) <> 1`);
  expect(torn).toEqual([]);
  const stray = await database.query(`
    SELECT e.author AS name FROM library_entry e WHERE e.author NOT IN (SELECT a.name FROM library_author a)
    UNION ALL SELECT b.title FROM library_book b WHERE b.author_id IS NULL`);
  expect(stray).toEqual([]);
  const [sums] = await database.query(`
    SELECT (SELECT SUM(s.books) FROM library_shelf s) AS shelved,
      2 * (SELECT COUNT(*) FROM library_book b WHERE b.deleted_at IS NOT NULL) AS acquired`);
  expect(Number(sums?.['shelved'])).toBe(Number(sums?.['acquired']));
}
