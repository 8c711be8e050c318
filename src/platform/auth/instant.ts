import { DAY_MS } from '../clock.js';

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads a point in time as ISO 8601: a day (`2030-01-31`, its beginning in UTC) or a day and time with `Z` or an offset.
 *
 * @returns milliseconds since the epoch; undefined for anything else, also for a day that no calendar has.
 */
export function parseInstant(text: string): number | undefined {
  const day = ISO_8601.exec(text)?.[1];
  if (day === undefined) return undefined;
  // Date.parse takes 2030-02-30 for the 2nd of March.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;

/** Reads a length of time such as `90s`, `30m`, `24h`, `7d` or `0`, as milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS];
}
