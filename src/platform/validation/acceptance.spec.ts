import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Min,
  registerDecorator,
  Validate,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import fc from 'fast-check';
import { TextProperty } from './index.js';
import { validateBody } from './validate-body.js';

class Part {
  @TextProperty({ maxLength: 20 })
  label: string;

  @IsInt()
  @Min(1)
  count: number;
}

describe('asynchronous validators', () => {
  @ValidatorConstraint({ async: true })
  class Later implements ValidatorConstraintInterface {
    validate(): Promise<boolean> {
      return Promise.resolve(false);
    }
  }
  class Flagged {
    @Validate(Later)
    value: string;
  }
  class Unflagged {
    value: string;
  }
  registerDecorator({
    target: Unflagged,
    propertyName: 'value',
    validator: { validate: () => Promise.resolve(false) },
  });
  class Outer {
    @ValidateNested()
    @Type(() => Unflagged)
    inner: Unflagged;
  }

  it('are refused instead of being taken for a yes', () => {
    expect(() => validateBody(Flagged, { value: 'x' })).toThrow(TypeError);
    expect(() => validateBody(Unflagged, { value: 'x' })).toThrow('Unflagged.value');
    expect(() => validateBody(Outer, { inner: { value: 'x' } })).toThrow(TypeError);
  });
});

describe('the compiled test', () => {
  class Both {
    @IsOptional()
    @IsBoolean()
    flag?: boolean;

    @IsString({ each: true })
    tags: string[];

    @IsOptional()
    @ValidateNested({ each: true })
    @Type(() => Part)
    parts?: Part[];
  }

  it('agrees with class-validator', () => {
    const label = fc.oneof(fc.constant('x'), fc.anything());
    const parts = fc.oneof(fc.array(fc.oneof(fc.record({ label, count: fc.integer() }), fc.anything())), fc.anything());
    const body = fc.record(
      { flag: fc.oneof(fc.boolean(), fc.anything()), tags: fc.oneof(fc.array(fc.string()), fc.anything()), parts },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(body, (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as object;
        const { flag, tags, parts: list } = plain as { flag?: unknown; tags?: unknown; parts?: unknown };
        const isPart = (item: unknown): boolean => {
          if (typeof item !== 'object' || item === null || Object.keys(item).length !== 2) return false;
          const { label: text, count } = item as Record<string, unknown>;
          const isText = typeof text === 'string' && text.length <= 20 && text.trim() !== '' && !/\p{Cc}/u.test(text);
          return isText && Number.isInteger(count) && Number(count) >= 1;
        };
        const expected =
          (flag === undefined || flag === null || typeof flag === 'boolean') &&
          (typeof tags === 'string' || (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))) &&
          (list === undefined || list === null || (Array.isArray(list) ? list.every(isPart) : isPart(list)));
        let accepted = true;
        try {
          validateBody(Both, plain);
        } catch (error) {
          expect(error).toMatchObject({ status: 400 });
          accepted = false;
        }
        expect(accepted).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
