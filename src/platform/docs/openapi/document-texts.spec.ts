import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { parse } from 'yaml';
import { documentTexts } from './openapi-document.js';

const dates = ['2025-11-27', '2025-11-27T10:00:00Z', '2001-12-14 21:59:43.10 -5', '2025-1-2'];
const booleans = ['yes', 'No', 'on', 'OFF', 'y', 'N', 'true', 'False', 'null', '~', ''];
const numbers = [
  '0o17',
  '017',
  '0b11',
  '0x1F',
  '1_000',
  '1,000',
  '1e3',
  '1.5',
  '+1',
  '.5',
  '5.',
  '.inf',
  '-.INF',
  '.NaN',
];
const times = ['12:30:45', '190:20:30.15', '1:30'];
const others = ['=', '<<', ':id', '-', '- a', 'a: b', '# x', '!x', '@x', '%x', '*x', '&x', '{x}', '[x]'];
const blanks = ['a\u2028b', 'a\u2029b', 'a\u0085b', 'a\u00a0', '\ufeff', '\u3000a', 'two\nlines'];
const strings = [...dates, ...booleans, ...numbers, ...times, ...others, ...blanks];

describe('an OpenAPI document as text', () => {
  const document = {
    strings,
    int64: 9223372036854775807n,
    ...Object.fromEntries(strings.map((text) => [text, 1])),
  } as unknown as OpenAPIObject;
  const { json, yaml } = documentTexts(document);

  it.each(['1.1', '1.2'] as const)('says as YAML %s what it says as JSON', (version) => {
    const options = { version, intAsBigInt: true };
    expect(parse(yaml, options)).toEqual(parse(json, options));
    expect((parse(yaml, options) as { strings: string[] }).strings).toEqual(strings);
    expect(parse(yaml, options)).toHaveProperty('int64', 9223372036854775807n);
  });

  it.each(strings)('quotes what some reader takes for no text: %j', (text) => {
    const line = documentTexts({ text } as unknown as OpenAPIObject).yaml;
    expect(line).toMatch(text.includes('\n') ? /^text: \|/ : /^text: ["'].*["']\n$/);
  });

  it('shows every blank', () => {
    expect(`${json}${yaml}`).not.toMatch(/[^\x20-\x7e\n]/);
  });
});
