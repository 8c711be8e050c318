let millisecond = -1;
let member = '';

/**
 * The time of a line, as pino takes it: ISO 8601 in UTC, to the millisecond. Its text is made once for all lines of a
 * millisecond: a busy one has several, and making it takes 1.3 µs (Node 24).
 */
export function lineTime(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    member = `,"time":"${new Date(now).toISOString()}"`;
  }
  return member;
}
