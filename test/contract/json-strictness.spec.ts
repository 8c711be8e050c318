import { describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../support/engines.js';
import { serveOn } from '../support/served.js';

const VALID = '{"name":"Rex","categoryId":7}';

/** Text with raw bytes between its parts: `bytes('{"name":"', [0xff], '"}')`. */
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const named = (...name: readonly number[]): Buffer => bytes('{"name":"', name, '","categoryId":7}');

/** Nested arrays; the object of the body adds one level. */
const nested = (levels: number): string =>
  `{"name":"Rex","categoryId":7,"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;

onEachEngine('JSON', (engine) => {
  const store = serveOn(engine, { HTTP_BODY_LIMIT_BYTES: '65536' });
  const post = (body: string | Uint8Array) => store.client.post('/v1/pets', body);

  async function expectInvalid(body: string | Uint8Array): Promise<string> {
    const before = await store.countPets();
    const answer = await post(body);
    expect(answer).toBeErrorShape(400, 'invalid_json');
    expect(await store.countPets()).toBe(before);
    return (answer.json() as { message: string }).message;
  }

  it.each([
    ['without white space', VALID],
    ['with white space of all four kinds', ' \t\r\n{ "name" :\t"Rex" ,\r\n"categoryId" : 7 } \n'],
    ['with escaped names', String.raw`{"n\u0061me":"Rex","categoryId":7}`],
    ['with its fields in another order', '{"categoryId":7,"name":"Rex"}'],
  ])('is taken %s', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(201);
    expect(answer.text).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":7,"status":"available"\}$/);
  });

  describe('with a duplicate key', () => {
    it.each([
      ['the same value', '{"name":"Rex","name":"Rex","categoryId":7}'],
      ['another value', '{"name":"Rex","categoryId":7,"name":"Otso"}'],
      ['the first invalid', '{"name":"Rex","categoryId":"x","categoryId":7}'],
      ['the last invalid', '{"name":"Rex","categoryId":7,"categoryId":"x"}'],
      ['exact numbers', '{"name":"Rex","categoryId":9007199254740993,"categoryId":9007199254740993}'],
      ['one spelt with an escape', String.raw`{"name":"Rex","n\u0061me":"Rex","categoryId":7}`],
      ['an unknown one', '{"name":"Rex","categoryId":7,"x":1,"x":2}'],
      ['__proto__', '{"name":"Rex","categoryId":7,"__proto__":1,"__proto__":2}'],
      ['an empty one', '{"name":"Rex","categoryId":7,"":1,"":2}'],
      ['one inside an object', '{"name":"Rex","categoryId":{"a":1,"a":2}}'],
      ['one inside a list', '{"name":"Rex","categoryId":[{"a":1,"a":2}]}'],
    ])('is refused: %s', async (_, body) => {
      await expectInvalid(body);
    });

    it.each([
      ['in sibling objects', '{"name":"Rex","categoryId":[{"a":1},{"a":2}]}', 'invalid_field'],
      ['in a string', String.raw`{"name":"\"name\":\"Rex\",\"name\"","categoryId":"7"}`, 'invalid_field'],
      ['in another case', '{"name":"Rex","Name":"Rex","categoryId":7}', 'unknown_field'],
    ])('is not reported where there is none: %s', async (_, body, code) => {
      expect(await post(body)).toBeErrorShape(400, code);
    });
  });

  describe('by depth', () => {
    it.each([1, 30, 31])('is read with %d lists in its object', async (levels) => {
      expect(await post(nested(levels))).toBeErrorShape(400, 'unknown_field');
    });

    it.each([32, 33, 100, 10_000])('is refused with %d lists in its object', async (levels) => {
      await expectInvalid(nested(levels));
    });

    it.each([
      ['10,000 lists that never end', '['.repeat(10_000)],
      ['10,000 objects that never end', '{"a":'.repeat(10_000)],
      ['10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
      ['33 of both in turn', `${'[{"a":'.repeat(17)}1${'}]'.repeat(17)}`],
    ])('is refused: %s', async (_, body) => {
      await expectInvalid(body);
    });

    it('is read with as many brackets beside each other as one likes, and in a string', async () => {
      expect(await post(`{"name":"Rex","categoryId":[${'[],'.repeat(500)}[]]}`)).toBeErrorShape(400, 'invalid_field');
      expect((await post(`{"name":"${'['.repeat(255)}","categoryId":7}`)).status).toBe(201);
    });
  });

  describe('that is not UTF-8', () => {
    it.each([
      ['a byte that never occurs', named(0xff)],
      ['a continuation alone', named(0x80)],
      ['a character cut off', named(0xf0, 0x9f, 0x90)],
      ['an overlong slash', named(0xc0, 0xaf)],
      ['an overlong NUL', named(0xc0, 0x80)],
      ['a surrogate', named(0xed, 0xa0, 0xbd)],
      ['a surrogate pair (CESU-8)', named(0xed, 0xa0, 0xbd, 0xed, 0xb0, 0xb6)],
      ['beyond the last code point', named(0xf4, 0x90, 0x80, 0x80)],
      ['Latin-1', Buffer.from('{"name":"Père","categoryId":7}', 'latin1')],
      ['in a key', bytes('{"n', [0xe9], '":1,"name":"Rex","categoryId":7}')],
      ['behind the value', bytes(VALID, [0xff])],
      ['UTF-16', Buffer.from(VALID, 'utf16le')],
      ['UTF-16 with its mark', Buffer.from(`\ufeff${VALID}`, 'utf16le')],
      [
        'UTF-32',
        Buffer.from(VALID).reduce((all, byte) => Buffer.concat([all, Buffer.from([byte, 0, 0, 0])]), Buffer.alloc(0)),
      ],
    ])('is refused: %s', async (_, body) => {
      await expectInvalid(body);
    });
  });

  it.each([
    ['before an object', bytes([0xef, 0xbb, 0xbf], VALID)],
    ['twice', bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], VALID)],
    ['alone', bytes([0xef, 0xbb, 0xbf])],
    ['behind white space', bytes(' ', [0xef, 0xbb, 0xbf], VALID)],
    ['behind the value', bytes(VALID, [0xef, 0xbb, 0xbf])],
  ])('is refused with a byte order mark %s', async (_, body) => {
    await expectInvalid(body);
  });

  describe('that is no JSON', () => {
    it.each([
      ['white space alone', ' \n'],
      ['a word', 'name'],
      ['form data', 'name=Rex&categoryId=7'],
      ['an object cut off', VALID.slice(0, -1)],
      ['a string cut off', '{"name":"Re'],
      ['an escape cut off', '{"name":"Re\\'],
      ['trailing garbage', `${VALID}x`],
      ['a second object', `${VALID}{}`],
      ['a second object on its own line', `${VALID}\n${VALID}`],
      ['a NUL behind', `${VALID}\0`],
      ['a NUL before', `\0${VALID}`],
      ['a closing bracket too many', `${VALID}}`],
      ['a comma at the end', '{"name":"Rex","categoryId":7,}'],
      ['a comma too many', '{"name":"Rex",,"categoryId":7}'],
      ['no comma', '{"name":"Rex" "categoryId":7}'],
      ['no colon', '{"name" "Rex","categoryId":7}'],
      ['single quotes', "{'name':'Rex','categoryId':7}"],
      ['a bare key', '{name:"Rex","categoryId":7}'],
      ['a comment', '{"name":"Rex",/* of course */"categoryId":7}'],
      ['a line comment', `${VALID}// done`],
      ['a raw line break in a string', '{"name":"Re\nx","categoryId":7}'],
      ['a raw NUL in a string', '{"name":"Re\0x","categoryId":7}'],
      ['a raw control character in a string', '{"name":"Re\u001fx","categoryId":7}'],
      ['an escape that there is not', String.raw`{"name":"\x52ex","categoryId":7}`],
      ['a short escape', String.raw`{"name":"\u52","categoryId":7}`],
      ['an exotic white space', `\u00a0${VALID}`],
      ['a vertical tab', `\v${VALID}`],
      ['a leading zero', '{"name":"Rex","categoryId":07}'],
      ['a plus', '{"name":"Rex","categoryId":+7}'],
      ['no digit before the point', '{"name":"Rex","categoryId":.7}'],
      ['no digit behind the point', '{"name":"Rex","categoryId":7.}'],
      ['no digit in the exponent', '{"name":"Rex","categoryId":7e}'],
      ['hexadecimal', '{"name":"Rex","categoryId":0x7}'],
      ['a big integer of JavaScript', '{"name":"Rex","categoryId":7n}'],
      ['NaN', '{"name":"Rex","categoryId":NaN}'],
      ['Infinity', '{"name":"Rex","categoryId":-Infinity}'],
      ['undefined', '{"name":"Rex","categoryId":undefined}'],
      ['another case of true', '{"name":"Rex","categoryId":True}'],
      ['minus alone', '{"name":"Rex","categoryId":-}'],
    ])('is refused: %s', async (_, body) => {
      await expectInvalid(body);
    });
  });

  describe('with names of the prototype', () => {
    it.each(['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', '__defineGetter__'])(
      '%s is an unknown field like any other, and changes no prototype',
      async (name) => {
        for (const value of [
          '{"name":"Rex","status":"sold","isAdmin":true}',
          '{"prototype":{"status":"sold"}}',
          'null',
        ]) {
          const body = `{"${name}":${value},"name":"Rex","categoryId":7}`;
          expect(await post(body)).toBeErrorShape(400, 'unknown_field');
        }
        expect((await post(VALID)).text).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":7,"status":"available"\}$/);
      },
    );

    it('takes no field from a prototype', async () => {
      const lent = '{"__proto__":{"name":"Rex","categoryId":7}}';
      expect(await post(lent)).toBeErrorShape(400, 'missing_field');
    });
  });

  it.each([
    ['its text', `{"name":"SECRET-CANARY",`],
    ['its position', `{"name":"SECRET-CANARY" x}`],
    ['its bytes', bytes('{"name":"SECRET-CANARY', [0xff], '"}')],
    ['its keys', '{"SECRET-CANARY":1,"SECRET-CANARY":2}'],
  ])('that is refused is not echoed, and neither is the message of the parser: %s', async (_, body) => {
    const message = await expectInvalid(body);
    expect(message).not.toMatch(/CANARY|position|token|line|column|JSON\.parse|SyntaxError|Unexpected|TypeError/);
    expect(store.service.output).not.toContain('CANARY');
  });
});
