/** The column that tells the parts of a union apart. */
export const PART = 'union_part';

/** Statements by what they ask: there are as many as SELECTs, times the sizes of a batch. */
const known = new Map<string, string>();

/** `(SELECT 0 AS union_part, …) UNION ALL (SELECT 1 AS union_part, …)`, made once for each size. */
export function unionStatement(select: string, parts: number): string {
  const key = `${parts} ${select}`;
  let sql = known.get(key);
  if (sql === undefined) {
    const rest = select.slice('SELECT '.length);
    sql = Array.from({ length: parts }, (_, part) => `(SELECT ${part} AS ${PART}, ${rest})`).join(' UNION ALL ');
    known.set(key, sql);
  }
  return sql;
}
