import { expect, it } from '@jest/globals';
import { storedDecimal } from './sqlite-values.js';

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
  ['000999.99', '999.99'],
  [1e-7, '0.00'],
  ['5e-3', '0.01'],
  ['-5E-3', '-0.01'],
  ['1.2345e+2', '123.45'],
  ['1e2', '100.00'],
  ['1e-999999999999', '0.00'],
  [null, null],
  [undefined, undefined],
  ['', ''],
])('%p is stored as %p, as by MySQL', (value, stored) => {
  expect(storedDecimal(value, column)).toBe(stored);
});

it('has no fraction where the column has none', () => {
  expect(storedDecimal('9999999999.4', { type: 'decimal', precision: null, propertyName: 'price' })).toBe('9999999999');
});

it('has nothing before the point where all of its digits are behind it', () => {
  const share = { type: 'decimal', precision: 2, scale: 2, propertyName: 'share' } as const;
  expect(['0.99', '.5', 0, '0.994'].map((value) => storedDecimal(value, share))).toStrictEqual([
    '0.99',
    '0.50',
    '0.00',
    '0.99',
  ]);
  for (const value of ['1.5', '9.99', 1, '0.995'])
    expect(() => storedDecimal(value, share)).toThrow('share is a decimal of 2 digits');
});

it.each(['999.995', '1000', 1000, 1e21, '1e3', '1e999999999999'])('%p is too large', (value) => {
  expect(() => storedDecimal(value, column)).toThrow(
    new RangeError('price is a decimal of 5 digits, which is too few for this value'),
  );
});
