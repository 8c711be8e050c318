import { describe, expect, it } from '@jest/globals';
import { RetryBudget } from './retry-budget.js';

const spent = (budget: RetryBudget, tries: number): number =>
  Array.from({ length: tries }, () => budget.spend()).filter(Boolean).length;

describe('RetryBudget', () => {
  it('ends where nothing succeeds', () => {
    expect(spent(new RetryBudget(), 1000)).toBe(10);
  });

  it('earns a tenth of what succeeds, and saves no more than it began with', () => {
    const budget = new RetryBudget();
    spent(budget, 10);
    for (let n = 0; n < 50; n += 1) budget.earn();
    expect(spent(budget, 100)).toBe(5);
    for (let n = 0; n < 10_000; n += 1) budget.earn();
    expect(spent(budget, 100)).toBe(10);
  });
});
