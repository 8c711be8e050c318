import { describe, expect, it, jest } from '@jest/globals';
import { Exclude, Expose, plainToInstance, Transform, Type } from 'class-transformer';
import fc from 'fast-check';
import { Int64Property } from '../int64/index.js';
import { metadataStorage } from './class-validator.js';
import { compileConversion } from './conversion.js';
import { EnumProperty, IntegerProperty, TextProperty } from './index.js';

class Pet {
  @TextProperty({ maxLength: 9 })
  name: string;

  @Int64Property({})
  categoryId: bigint;

  @EnumProperty({ enum: ['a', 'b'], enumName: 'Letter', required: false })
  letter?: string;

  @IntegerProperty({ minimum: 1, maximum: 9, default: 3 })
  count: number = 3;
}

class Converted extends Pet {
  @Transform(({ value }) => `${String(value)}!`)
  @TextProperty({ maxLength: 9 })
  declare name: string;
}

class Doubled extends Pet {
  @Int64Property({})
  @Transform(({ value }) => value as unknown)
  declare categoryId: bigint;
}

class Toy {
  name?: string;
}

class Typed extends Pet {
  @Type(() => Toy)
  override letter?: string;
}

class Excluded extends Pet {
  @Exclude()
  override letter?: string;
}

@Exclude()
class ExcludedWhole extends Pet {
  @Expose()
  override letter?: string;
}

class Renamed extends Pet {
  @Expose({ name: 'letter' })
  other?: string;
}

const names = ['name', 'categoryId', 'letter', 'count'];

describe('compileConversion', () => {
  it.each([Pet, Converted, Doubled, Typed, Excluded, ExcludedWhole, Renamed])(
    'does with %p what class-transformer does',
    (dto) => {
      const convert = compileConversion<object>(dto, new Set(names));
      const value = fc.oneof(fc.string(), fc.double(), fc.bigInt(), fc.boolean(), fc.constant(null), fc.jsonValue());
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...names), value), (given) => {
          const made = convert(given);
          expect(made).toBeInstanceOf(dto);
          expect(made).toStrictEqual(plainToInstance(dto, given));
        }),
      );
    },
  );

  it.each([
    [Pet, true],
    [Converted, false],
    [Doubled, false],
    [Typed, false],
    [Excluded, false],
    [ExcludedWhole, false],
    [Renamed, false],
  ])('does it with %p itself: %p', (dto, isCompiled) => {
    const convert = compileConversion<object>(dto, new Set(names));
    // class-transformer asks it of each object that it transforms.
    const asked = jest.spyOn(metadataStorage, 'getStrategy');
    convert({ name: 'Rex' });
    const { calls } = asked.mock;
    asked.mockRestore();
    expect(calls.length === 0).toBe(isCompiled);
  });
});
