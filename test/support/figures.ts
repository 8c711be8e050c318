import { appendFileSync } from 'node:fs';

/** Something that was measured while a test ran. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** What is promised: the value at most, in its unit. */
  readonly limit?: number;
  readonly unit: 'ms' | 'per second' | 'requests';
}

/**
 * Notes a figure in the file that FIGURES_FILE names, if it does. A test judges no time, since the machine may be busy;
 * `npm run check -- faults` does, on one that is not.
 */
export function noteFigure(what: string, value: number, limit?: number, unit: Figure['unit'] = 'ms'): void {
  const file = process.env['FIGURES_FILE'];
  const figure: Figure = { what, value: Math.round(value), unit, ...(limit === undefined ? {} : { limit }) };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
