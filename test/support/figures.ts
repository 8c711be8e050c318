import { appendFileSync } from 'node:fs';

/** A value that was measured while a test ran. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** The promised limit: the largest value allowed, in `unit`. */
  readonly limit?: number;
  readonly unit: 'ms' | 'per second' | 'requests';
}

/**
 * Adds a figure to the file that FIGURES_FILE names, if it is set. A test asserts no time, since the machine may be
 * busy. `npm run check -- faults` compares the figures with their limits on a machine that is not.
 */
export function noteFigure(what: string, value: number, limit?: number, unit: Figure['unit'] = 'ms'): void {
  const file = process.env['FIGURES_FILE'];
  const figure: Figure = { what, value: Math.round(value), unit, ...(limit === undefined ? {} : { limit }) };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
