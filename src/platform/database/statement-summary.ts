import { createLRU } from 'lru.min';

/** What a statement does to which table, as telemetry names it (db.operation.name, db.collection.name). */
export interface StatementSummary {
  readonly operation: string;
  readonly collection: string;
}

/** Texts to remember: a feature that puts values into its statements has more and more of them. */
export const MOST_STATEMENTS = 500;

const known = createLRU<string, StatementSummary>({ max: MOST_STATEMENTS });
/** The first word, behind brackets and comments, but for those that the server runs. */
const OPERATION = /^(?:[\s(]|(?:--\s|#)[^\n]*\n|\/\*(?!M?!)(?:[^*]|\*(?!\/))*\*\/)*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[`"]?(\w+)/i;

/** Reads it from the statement's text. */
export function summaryOf(sql: string): StatementSummary {
  let summary = known.get(sql);
  if (summary === undefined) {
    summary = { operation: (OPERATION.exec(sql)?.[1] ?? '').toUpperCase(), collection: TABLE.exec(sql)?.[1] ?? '' };
    known.set(sql, summary);
  }
  return summary;
}

/** Whether it changes nothing, so that nobody need wonder what became of it when its reply is lost. */
export function isRead(sql: string): boolean {
  return summaryOf(sql).operation === 'SELECT';
}
