export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @param values at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  return {
    median: ((sorted[low] ?? NaN) + (sorted[high] ?? NaN)) / 2,
    least: sorted[0] ?? NaN,
    most: sorted.at(-1) ?? NaN,
  };
}

/**
 * The value that this share of all values does not exceed.
 *
 * @param values at least one value.
 */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** The ratios of two series, round by round, since a disturbance of a round affects both. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Spread {
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? NaN)));
}
