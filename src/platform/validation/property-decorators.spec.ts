import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../errors/index.js';
import { StringParameter, StringProperty, TEXT_PATTERN, TextParameter, TextProperty } from './property-decorators.js';
import { validateQuery } from './request-validation.pipe.js';
import { validateBody } from './validate-body.js';

class Named {
  @TextProperty({ maxLength: 255 })
  name: string;
}

describe('TextProperty', () => {
  const family = '👨‍👩‍👧‍👦';

  it.each([
    ['one character', 'x'],
    ['an emoji', '🐶'],
    ['a family of joined emoji', family],
    ['right-to-left text', 'שלום \u202bעולם\u202c'],
    ['combining marks', 'e\u0301'],
    ['spaces around', '  Rex  '],
    ['255 characters', 'x'.repeat(255)],
    ['255 characters of two units each', '🐶'.repeat(255)],
    ['what looks like SQL', "'; DROP TABLE pet; --"],
    ['a zero-width space', '\u200b'],
    ['a byte order mark inside', '\ufeffRex'],
    ['what looks like a number', '123'],
  ])('may be %s, and is kept as it is', (_, name) => {
    expect(validateBody(Named, { name }).name).toBe(name);
  });

  it.each([
    ['empty', '', 'must have 1 to 255 characters'],
    ['256 characters', 'x'.repeat(256), 'must have 1 to 255 characters'],
    ['256 characters of two units', '🐶'.repeat(256), 'must have 1 to 255 characters'],
    ['very long', 'x'.repeat(100_000), 'must have 1 to 255 characters'],
    ['a space', ' ', 'must not be empty or white space alone'],
    ['spaces of every kind', ' \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000', 'white space alone'],
    ['a tab', '\t', 'control characters'],
    ['a NUL inside', 'Rex\u0000', 'control characters'],
    ['a line feed inside', 'Rex\nMax', 'control characters'],
    ['an escape', '\u001b[31mRex', 'control characters'],
    ['DEL', 'Rex\u007f', 'control characters'],
    ['a C1 control', 'Rex\u0085', 'control characters'],
    ['a lone high surrogate', 'Rex\ud83d', 'lone surrogates'],
    ['a lone low surrogate', '\udc36Rex', 'lone surrogates'],
    ['a number (class-transformer#257)', 123, 'must be a string'],
    ['a number beyond doubles', NaN, 'must be a string'],
    ['a big number', 2n ** 60n, 'must be a string'],
    ['a boolean', true, 'must be a string'],
    ['null', null, 'must be a string'],
    ['a list', ['Rex'], 'must be a string'],
    ['an object (node-mysql2#1914)', { name: 'Rex' }, 'must be a string'],
  ])('must not be %s', (_, name, problem) => {
    expect(() => validateBody(Named, { name })).toThrow(
      expect.objectContaining({ code: 'invalid_field', message: expect.stringMatching(`^name: .*${problem}$`) }),
    );
  });

  it('is refused for white space alone exactly where Unicode says White_Space', () => {
    const wrong: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const text = String.fromCodePoint(point);
      if (TEXT_PATTERN.test(text) === /^[\p{White_Space}\p{Cc}]$/u.test(text)) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('takes linear time', () => {
    class Essay {
      @TextProperty({ maxLength: 2_000_000 })
      text: string;
    }
    for (const text of [' '.repeat(2_000_000), `${'x'.repeat(1_999_999)}\u0000`, `${' x'.repeat(999_999)}\u0000`]) {
      expect(() => validateBody(Essay, { text })).toThrow(ApiError);
    }
  });
});

describe('StringProperty', () => {
  class Note {
    @StringProperty({ maxLength: 5 })
    note: string;
  }

  it.each([[''], [' '], ['\t\n\u0000'], ['12345'], ['🐶🐶🐶🐶🐶']])('may be %j', (note) => {
    expect(validateBody(Note, { note })).toEqual({ note });
  });

  it.each([
    ['123456', 'note: must have at most 5 characters'],
    ['\ud800', 'note: must not contain lone surrogates'],
    [null, 'note: must be a string'],
    [5, 'note: must be a string'],
  ])('must not be %j', (note, message) => {
    expect(() => validateBody(Note, { note })).toThrow(message);
  });
});

describe('text in a query', () => {
  class Search {
    @TextParameter({ maxLength: 5 })
    text?: string;

    @StringParameter({ maxLength: 5, default: 'a' })
    string: string;
  }

  it('is optional unless it is declared required', () => {
    expect(validateQuery(Search, '')).toEqual({ string: 'a' });
    expect(validateQuery(Search, 'text=%20x&string=')).toEqual({ text: ' x', string: '' });
    expect(() => validateQuery(Search, 'text=&string=123456')).toThrow(
      'text: must have 1 to 5 characters; string: must have at most 5 characters',
    );
  });
});
