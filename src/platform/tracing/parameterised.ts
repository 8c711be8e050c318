/** Texts to remember; a feature that builds its statements out of values has no end of them. */
const MOST = 1000;

const known = new Map<string, string>();

/** Strings, as both engines quote them, and numbers that are no part of a name. */
const LITERAL = /'(?:[^'\\]|''|\\.)*'|\bx'[0-9a-f]*'|(?<![\w`.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gis;

/** A statement with `?` for every value that stands in its text: those that are parameters have one already. */
export function parameterised(sql: string): string {
  let text = known.get(sql);
  if (text === undefined) {
    text = sql.replace(LITERAL, '?');
    if (known.size < MOST) known.set(sql, text);
  }
  return text;
}
