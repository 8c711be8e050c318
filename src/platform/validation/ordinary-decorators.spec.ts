import { describe, expect, it } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { parseJson } from '../json/index.js';
import { TextProperty } from './index.js';
import { validateBody } from './validate-body.js';

class Part {
  @TextProperty({ maxLength: 20 })
  label: string;

  @IsInt()
  @Min(1)
  count: number;
}

class Order {
  @IsString()
  @Transform(({ value }) => (typeof value === 'string' ? value.trim() : (value as unknown)))
  reference: string;

  @ValidateNested()
  @Type(() => Part)
  first: Part;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => Part)
  more?: Part[];

  @ValidateIf((order: Order) => order.reference === 'gift')
  @IsString()
  greeting?: string;

  @IsOptional()
  @IsInt({ each: true })
  sizes?: number[];

  @IsOptional()
  @IsObject()
  extra?: object;

  @Allow()
  anything?: unknown;
}

const part = { label: 'Nail', count: 1 };
const order = { reference: 'a', first: part };

const refusal = (body: unknown): string => {
  try {
    validateBody(Order, body);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return 'accepted';
};

describe('decorators of class-validator and class-transformer', () => {
  it('work as they do elsewhere', () => {
    const made = validateBody(Order, {
      ...order,
      reference: ' a ',
      more: [part],
      sizes: [1],
      extra: { a: 1 },
      anything: 1,
    });
    expect(made).toEqual({ ...order, more: [part], sizes: [1], extra: { a: 1 }, anything: 1 });
    expect(made.reference).toBe('a');
    expect(made.first).toBeInstanceOf(Part);
    expect(made.more?.[0]).toBeInstanceOf(Part);
  });

  it.each([
    [{ ...order, reference: 1 }, 'invalid_field: reference: must be a string'],
    [{ ...order, first: { ...part, count: 0 } }, 'invalid_field: first.count: must not be less than 1'],
    [{ ...order, first: { label: 'x' } }, 'missing_field: first.count: is required'],
    [{ ...order, first: 5 }, /^invalid_field: first: /],
    [{ ...order, first: [part] }, 'invalid_field: first: must be an object'],
    [{ ...order, first: { ...part, x: 1 } }, 'unknown_field: first."x": is not a known field'],
    [{ ...order, more: [part, { ...part, x: 1 }] }, 'unknown_field: more[1]."x": is not a known field'],
    [{ ...order, more: [part, { count: 1 }] }, 'missing_field: more[1].label: is required'],
    [{ ...order, more: [null] }, /^invalid_field: more\[0\]: /],
    [{ ...order, more: [part, part, part, part] }, /^invalid_field: more: must contain no more than 3 elements/],
    [{ ...order, reference: 'gift' }, 'missing_field: greeting: is required'],
    [{ ...order, reference: 'gift', greeting: 1 }, 'invalid_field: greeting: must be a string'],
    [{ ...order, sizes: [1, 'x'] }, /^invalid_field: sizes: each value in sizes must be an integer/],
    [{ ...order, sizes: [NaN] }, /^invalid_field: sizes: /],
    [{ ...order, extra: [] }, 'invalid_field: extra: must be an object'],
  ])('refuse %j', (body, message) => {
    if (typeof message === 'string') expect(refusal(body)).toBe(message);
    else expect(refusal(body)).toMatch(message);
  });

  it('do not let prototype names into a nested object', () => {
    const body = parseJson(
      Buffer.from('{"reference":"a","first":{"label":"x","count":1,"__proto__":{}},"extra":{"constructor":1}}'),
    );
    expect(refusal(body)).toBe(
      'unknown_field: first."__proto__": is not a known field; extra."constructor": is not a known field',
    );
  });

  it('answer at a bounded length, however many items are wrong', () => {
    const many = Array.from({ length: 1000 }, () => ({}));
    const message = refusal({ ...order, more: many });
    expect(message).toContain('more[0].label: is required');
    expect(message.length).toBeLessThan(5000);
  });

  it('may come from a parent class, whose fields are named first', () => {
    class Base {
      @IsString()
      b: string;
    }
    class Derived extends Base {
      @IsString()
      a: string;
    }
    expect(() => validateBody(Derived, {})).toThrow('b: is required; a: is required');
    expect(validateBody(Derived, { a: '', b: '' })).toEqual({ a: '', b: '' });
  });
});
