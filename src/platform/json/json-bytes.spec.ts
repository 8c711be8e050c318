import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../int64.js';
import { bytesOf, jsonBytes, textOf } from './json-bytes.js';
import { stringifyJson } from './stringify-json.js';

/** The reference result: the UTF-8 bytes of `stringifyJson`. */
const expected = (value: unknown): string => Buffer.from(stringifyJson(value)).toString('latin1');

describe('jsonBytes', () => {
  it('is the UTF-8 of what stringifyJson makes', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
      withSparseArray: true,
      withBoxedValues: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        if (value === undefined) expect(() => jsonBytes(value)).toThrow(TypeError);
        else expect(jsonBytes(value)).toBe(expected(value));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['texts of any characters', fc.string({ unit: 'binary' })],
    ['texts with broken surrogates', fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units))],
    ['int64', fc.bigInt({ min: INT64_MIN, max: INT64_MAX })],
    ['integers', fc.maxSafeInteger()],
    ['numbers', fc.double()],
  ] as [string, fc.Arbitrary<unknown>][])('writes %s', (_, values) => {
    fc.assert(fc.property(values, (value) => expect(jsonBytes({ value })).toBe(expected({ value }))));
  });

  it.each([
    [{ a: undefined, b: () => 1, c: Symbol('c'), d: 1, e: undefined }, '{"d":1}'],
    [[undefined, NaN, Infinity, -0, () => 1], '[null,null,null,0,null]'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [{ toJSON: () => ({ id: 2n ** 60n }) }, '{"id":1152921504606846976}'],
    [{ nothing: { toJSON: () => undefined } }, '{}'],
    [Object.assign(Object.create({ inherited: 1 }) as object, { own: true }), '{"own":true}'],
    [{ 'a"': null, é: false }, '{"a\\"":null,"\u00c3\u00a9":false}'],
    [9007199254740991n, '9007199254740991'],
    [-9007199254740991n, '-9007199254740991'],
    [9007199254740992n, '9007199254740992'],
    [999999999999999, '999999999999999'],
    [1000000000000000, '1000000000000000'],
    [0n, '0'],
    [1e21, '1e+21'],
    [[Object(1), Object('a'), Object(true)], '[1,"a",true]'],
    [[(JSON as unknown as { rawJSON(text: string): object }).rawJSON('1.10')], '[1.10]'],
    [{ list: Object.assign([1], { toJSON: () => 'list' }) }, '{"list":"list"}'],
    [{ toJSON: 1 }, '{"toJSON":1}'],
    [
      [
        new (class Pet {
          id = 1n;
        })(),
      ],
      '[{"id":1}]',
    ],
    [{}, '{}'],
    [[], '[]'],
    ['', '""'],
  ])('writes %p as %s', (value, bytes) => {
    expect(jsonBytes(value)).toBe(bytes);
  });

  it.each([
    [Promise.resolve(1), 'Promise has no JSON text'],
    [new Map([['a', 1]]), 'Map has no JSON text'],
    [new Set([1]), 'Set has no JSON text'],
    [new RangeError('Broken'), 'RangeError has no JSON text'],
    [Readable.from(['a']), 'Readable has no JSON text'],
  ])('writes no braces where there is %p', (value, message) => {
    for (const each of [value, { value }, [value]]) {
      expect(() => jsonBytes(each)).toThrow(new TypeError(message));
      expect(() => jsonBytes(['x'.repeat(200_000), each])).toThrow(new TypeError(message));
    }
    expect(jsonBytes({ value: 1 })).toBe('{"value":1}');
  });

  it.each([0, 1, 2, 3])('writes what is longer than there is room kept for, up to a byte (%i)', (more) => {
    const room = 128 * 1024;
    const value = ['x'.repeat(room - '[""]'.length - 2 + more)];
    expect(jsonBytes(value)).toBe(JSON.stringify(value));
    const escaped = ['é"'.repeat(room / 2)];
    expect(jsonBytes(escaped)).toBe(expected(escaped));
    expect(jsonBytes([1])).toBe('[1]');
  });

  it.each([
    ['a toJSON', (inner: () => string) => ({ toJSON: inner })],
    [
      'a getter',
      (inner: () => string) => ({
        get member() {
          return inner();
        },
      }),
    ],
  ])('writes one value while %s of another has it written', (_, asking) => {
    const inner = (): string => jsonBytes({ inner: 'x'.repeat(100) });
    const value = { before: 'y'.repeat(100), asked: asking(inner), after: 1 };
    expect(jsonBytes(value)).toBe(expected(value));
  });

  it('can be asked again after what threw', () => {
    const value = {
      toJSON: () => {
        throw new RangeError('no');
      },
    };
    expect(() => jsonBytes([value])).toThrow('no');
    expect(jsonBytes([1])).toBe('[1]');
  });

  it('refuses what holds itself', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(() => jsonBytes(value)).toThrow();
    expect(jsonBytes([1])).toBe('[1]');
  });

  it('remembers names without mixing them up', () => {
    for (let at = 0; at < 3000; at++)
      expect(jsonBytes({ [`name${at % 1500}`]: at })).toBe(`{"name${at % 1500}":${at}}`);
  });

  it.each([undefined, () => 1, Symbol('s')])('refuses what has no JSON text', (value) => {
    expect(() => jsonBytes(value)).toThrow(TypeError);
  });
});

describe('bytesOf', () => {
  it('comes back as the text that it was', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(textOf(bytesOf(text))).toBe(text)));
    expect(bytesOf('é')).toBe('\u00c3\u00a9');
  });
});
