import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../errors/index.js';
import { parseJson, parseNumberLiteral } from './parse-json.js';

const parse = (text: string): unknown => parseJson(Buffer.from(text));

function refusal(bytes: Uint8Array): string {
  try {
    parseJson(bytes);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_json') return error.message;
    throw error;
  }
  throw new Error('It was accepted');
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
  it('reads what JSON.parse reads, where doubles are enough', () => {
    const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }));
    const values = [fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null), number];
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'));
    fc.assert(
      fc.property(fc.anything({ values, key, maxDepth: 5 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reads a body', () => {
    expect(parse('{"name":"Rex \\u00e9","categoryId":7,"status":"sold"}')).toEqual({
      name: 'Rex é',
      categoryId: 7,
      status: 'sold',
    });
  });

  it.each([
    ['[9007199254740993, 1]', [9007199254740993n, 1]],
    ['{"a":{"b":-9223372036854775808}}', { a: { b: -9223372036854775808n } }],
    ['[1e2, 1.0, -0, 1.5]', [100, 1, 0, 1.5]],
    ['[1e400, 9223372036854775808, 1.00000000000000000001]', [NaN, NaN, NaN]],
    ['["9007199254740993", "1e400", "-0"]', ['9007199254740993', '1e400', '-0']],
    [String.raw`{"a":"x\" 4.5 \\","b":9007199254740993}`, { a: 'x" 4.5 \\', b: 9007199254740993n }],
    ['-0', 0],
  ])('reads the numbers of %s exactly', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it('reads a number exactly wherever it stands', () => {
    const digits = fc.bigInt(0n, 2n ** 66n).map(String);
    const suffix = fc.constantFrom('', '.0', '.5', 'e1', 'E3', 'E-2', '.25e2');
    const around = fc.constantFrom(
      ['', ''],
      ['[', ']'],
      ['[0,', ']'],
      ['[ ', '\t]'],
      ['{"a":', '}'],
      ['\n', '\r'],
      ['[{"a":\r', '}]'],
    );
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits, suffix, around, (sign, whole, rest, [before, after]) => {
        const source = sign + whole + rest;
        const read = [parse(`${before}${source}${after}`)].flat().at(-1);
        const value = typeof read === 'object' ? (read as { readonly a: unknown }).a : read;
        expect(value).toBe(parseNumberLiteral(source));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['equal values', '{"categoryId":1,"categoryId":1}'],
    ['different values', '{"categoryId":1,"categoryId":"x"}'],
    ['an escaped name', '{"categoryId":1,"c\\u0061tegoryId":1}'],
    ['a later duplicate that hides names', '{"a":{"x":1},"b":2,"a":{}}'],
    ['a duplicate deep inside', '[{"a":[{"b":1,"b":1}]}]'],
    ['the empty name', '{"":1,"":1}'],
    ['__proto__', '{"__proto__":1,"__proto__":1}'],
    ['__proto__ objects', '{"__proto__":{},"__proto__":{"a":1}}'],
    ['numeric names', '{"1":1,"1":1}'],
  ])('refuses a duplicate key: %s', (_, text) => {
    expect(refusal(Buffer.from(text))).toBe('The request body has a duplicate key.');
  });

  it('reads a name that is one escape, also where an object with the name \\ was made before', () => {
    for (let times = 0; times < 200; times += 1) parse('{"a":1,"\\\\":{"b":1},"c":2}');
    expect(Object.keys(parse('{"a":1,"\\u0061b":1,"\\u0062":2,"\\"":3}') as object)).toEqual(['a', 'ab', 'b', '"']);
    expect(refusal(Buffer.from('{"a":{"b":1},"\\u0061":{"b":1}}'))).toContain('duplicate');
  });

  it('tells any duplicate from none', () => {
    const name = fc.constantFrom('a', 'b', '\\u0061', 'c:', '{', '__proto__', 'constructor', 'é', '\\"', '\\\\');
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (names) => {
        const text = `{${names.map((each) => `"${each}":{"a":"}:{"}`).join()}}`;
        const distinct = new Set(names.map((each) => JSON.parse(`"${each}"`) as string)).size === names.length;
        if (distinct) expect(Object.keys(parse(text) as object)).toHaveLength(names.length);
        else expect(refusal(Buffer.from(text))).toContain('duplicate');
      }),
    );
  });

  it('takes 32 levels and refuses 33', () => {
    expect(parse(nested(32))).toBeDefined();
    expect(parse(`${'{"a":['.repeat(16)}${']}'.repeat(16)}`)).toBeDefined();
    expect(parse(`[${'[],'.repeat(50)}[]]`)).toHaveLength(51);
    expect(parse(`["${'['.repeat(50)}"]`)).toEqual(['['.repeat(50)]);
    expect(refusal(Buffer.from(nested(33)))).toContain('deeper than 32');
    expect(refusal(Buffer.from(`${'{"a":['.repeat(16)}{}${']}'.repeat(16)}`))).toContain('deeper than 32');
  });

  it.each([10_000, 1_000_000])('refuses %i levels without a stack overflow', (depth) => {
    expect(refusal(Buffer.from(nested(depth)))).toContain('deeper than 32');
    expect(refusal(Buffer.from('{"a":'.repeat(depth)))).toContain('deeper than 32');
  });

  it('refuses a byte order mark, alone or before a body', () => {
    expect(refusal(Buffer.from([0xef, 0xbb, 0xbf]))).toContain('byte order mark');
    expect(refusal(Buffer.from('\uFEFF{"name":"x"}'))).toContain('byte order mark');
    expect(refusal(Buffer.from('\uFEFF{}', 'utf16le'))).toContain('UTF-8');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a cut character', [0x22, 0xe2, 0x82]],
  ])('refuses invalid UTF-8: %s', (_, bytes) => {
    expect(refusal(Uint8Array.from(bytes))).toBe('The request body is not valid UTF-8.');
  });

  it.each([
    [''],
    [' '],
    ['{'],
    ['}'],
    ['{"name":"x"} x'],
    ['{}{}'],
    ['{"name":"x",}'],
    ["{'name':'x'}"],
    ['{name:"x"}'],
    ['// c\n{}'],
    ['[1,]'],
    ['[01]'],
    ['[+1]'],
    ['[.5]'],
    ['[1.]'],
    ['[NaN]'],
    ['[0x10]'],
    ['["\u0001"]'],
    ['["\\x"]'],
    ['"'],
    ['"\\'],
    ['[-]'],
    ['\u00a0{}'],
    ['{}\u0000'],
    ['undefined'],
  ])('refuses %j, which is not JSON, and repeats nothing of it', (text) => {
    expect(refusal(Buffer.from(text))).toBe('The request body is not valid JSON.');
  });

  it('never throws anything but invalid_json', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', 'a', '1', '-', 'e', '.', '"a"', 'null', ' ');
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 64 })), (bytes) => {
        let isJson = true;
        try {
          parseJson(bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_json' });
          isJson = false;
        }
        if (isJson) expect(() => JSON.parse(Buffer.from(bytes).toString()) as unknown).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps __proto__ and constructor as own properties', () => {
    for (const number of ['1', '9007199254740993']) {
      const value = parse(`{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"n":${number}}`) as object;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'n']);
      expect('admin' in value).toBe(false);
      expect('x' in {}).toBe(false);
    }
  });

  it('keeps every allowed string, surrogate escapes too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parse(JSON.stringify([text]))).toEqual([text]);
      }),
    );
    expect(parse('["\\ud83d\\udc36", "\\ud800"]')).toEqual(['🐶', '\ud800']);
  });
});
