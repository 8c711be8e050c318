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
  class Label {
    @TextProperty({ maxLength: 20 })
    text: string;
  }
  class Parcel {
    @IsOptional()
    @IsBoolean()
    flag?: boolean;

    @IsString({ each: true })
    tags: string[];

    @IsInt()
    @Min(1)
    count: number;

    @IsOptional()
    @ValidateNested({ each: true })
    @Type(() => Label)
    labels?: Label[];
  }

  it('agrees with class-validator', () => {
    const text = fc.oneof(fc.constant('x'), fc.anything());
    const labels = fc.oneof(fc.array(fc.oneof(fc.record({ text }), fc.anything())), fc.anything());
    const count = fc.oneof(fc.constant(1), fc.integer(), fc.anything());
    const flag = fc.oneof(fc.boolean(), fc.anything());
    const tags = fc.oneof(fc.array(fc.string()), fc.anything());
    const body = fc.record({ flag, tags, count, labels }, { requiredKeys: [] });
    fc.assert(
      fc.property(body, (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as Record<'flag' | 'tags' | 'count' | 'labels', unknown>;
        const isLabel = (item: unknown): boolean => {
          if (typeof item !== 'object' || item === null || Object.keys(item).join() !== 'text') return false;
          const { text } = item as Record<string, unknown>;
          return typeof text === 'string' && text.length <= 20 && text.trim() !== '' && !/\p{Cc}/u.test(text);
        };
        const isText = (tag: unknown): boolean => typeof tag === 'string';
        const expected =
          (plain.flag === undefined || plain.flag === null || typeof plain.flag === 'boolean') &&
          (Array.isArray(plain.tags) ? plain.tags.every(isText) : isText(plain.tags)) &&
          Number.isInteger(plain.count) &&
          Number(plain.count) >= 1 &&
          (plain.labels === undefined ||
            plain.labels === null ||
            (Array.isArray(plain.labels) ? plain.labels.every(isLabel) : isLabel(plain.labels)));
        let accepted = true;
        try {
          validateBody(Parcel, plain);
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
