import { expect, it } from '@jest/globals';
import { storedDecimal } from './sqlite-decimal.js';

const column = { type: 'decimal', precision: 5, scale: 2, propertyName: 'price' } as const;

it.each([
  ['1.005', '1.01'],
  ['-1.005', '-1.01'],
  ['1.0049', '1.00'],
  ['.5', '0.50'],
  ['7', '7.00'],
  [7.25, '7.25'],
  ['0.995', '1.00'],
  ['999.994', '999.99'],
  [null, null],
  [undefined, undefined],
  ['', ''],
])('%p is stored as %p, as by MySQL', (value, stored) => {
  expect(storedDecimal(value, column)).toBe(stored);
});

it('has no fraction where the column has none', () => {
  expect(storedDecimal('9999999999.4', { type: 'decimal', precision: null, propertyName: 'price' })).toBe('9999999999');
});

it.each(['999.995', '1000', 1000])('%p is too large', (value) => {
  expect(() => storedDecimal(value, column)).toThrow(
    new RangeError('price is a decimal of 5 digits, which is too few for this value'),
  );
});
