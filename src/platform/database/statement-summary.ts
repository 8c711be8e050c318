/** What a statement does to which table, as telemetry names it (db.operation.name, db.collection.name). */
export interface StatementSummary {
  readonly operation: string;
  readonly collection: string;
}

const known = new Map<string, StatementSummary>();
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[`"]?(\w+)/i;

/** Reads it from the statement's text. Statements are written in the code, so there are only so many to remember. */
export function summaryOf(sql: string): StatementSummary {
  let summary = known.get(sql);
  if (summary === undefined) {
    summary = { operation: (/^\(?(\w+)/.exec(sql)?.[1] ?? '').toUpperCase(), collection: TABLE.exec(sql)?.[1] ?? '' };
    known.set(sql, summary);
  }
  return summary;
}

/** Whether it changes nothing, so that nobody need wonder what became of it when its reply is lost. */
export function isRead(sql: string): boolean {
  return summaryOf(sql).operation === 'SELECT';
}
