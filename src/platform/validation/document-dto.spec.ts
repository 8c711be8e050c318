import { describe, expect, it } from '@jest/globals';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumberString,
  IsOptional,
  IsPositive,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { Int64Parameter, Int64Property } from '../int64.js';
import { documentDto, neverText, undeclaredProperties } from './document-dto.js';
import { EnumParameter, IntegerParameter, IntegerProperty, TextParameter, TextProperty } from './index.js';

const documentedOf = (dto: new () => object, name: string): ApiPropertyOptions => {
  documentDto(dto, new Set());
  return Reflect.getMetadata('swagger/apiModelProperties', dto.prototype as object, name) as ApiPropertyOptions;
};

class Part {
  @IsString()
  label: string;
}

class Cat {
  @IsString()
  @IsNotEmpty()
  @MaxLength(10)
  name: string;

  @IsInt()
  @Min(0)
  @Max(30)
  @IsOptional()
  age?: number;

  @IsIn(['tabby', 'black'])
  coat = 'tabby';

  @IsArray()
  @ArrayMaxSize(3)
  @Length(2, 5, { each: true })
  @IsString({ each: true })
  tags: string[];

  @IsDefined()
  @ValidateNested({ each: true })
  @Type(() => Part)
  parts: Part[];

  @ValidateNested()
  part: Part;

  @IsEmail()
  mail: string;

  @IsUUID()
  chip: string;

  @Type(() => Date)
  @IsDate()
  born: Date;

  @IsPositive()
  weight: number;

  @IsBoolean()
  tame: boolean;

  @Transform(({ value }) => (value as string).split(','))
  @IsString({ each: true })
  enemies: string[];
}

describe('a class with decorators of class-validator alone', () => {
  it.each<[keyof Cat, object]>([
    ['name', { type: 'string', required: true, minLength: 1, maxLength: 10 }],
    ['age', { type: 'integer', required: false, nullable: true, minimum: 0, maximum: 30 }],
    ['coat', { type: 'string', required: false, default: 'tabby', enum: ['tabby', 'black'] }],
    ['tags', { type: 'array', required: true, maxItems: 3, items: { type: 'string', minLength: 2, maxLength: 5 } }],
    ['parts', { type: Part, isArray: true, required: true }],
    ['part', { type: Part, required: false, nullable: true }],
    ['mail', { type: 'string', required: true, format: 'email' }],
    ['chip', { type: 'string', required: true, format: 'uuid' }],
    ['born', { type: 'string', required: true, format: 'date-time' }],
    ['weight', { type: Number, required: true, exclusiveMinimum: 0 }],
    ['tame', { type: 'boolean', required: true }],
    ['enemies', { type: Array, required: true }],
  ])('documents %s', (name, schema) => {
    const documented = documentedOf(Cat, name);
    expect(documented).toMatchObject(schema);
  });

  it('describes the classes inside of it', () => {
    expect(documentedOf(Part, 'label')).toMatchObject({ type: 'string', required: true });
    const seen = new Set<unknown>();
    documentDto(Cat, seen);
    expect(seen).toEqual(new Set([Cat, Part]));
  });

  it('has a pattern only where every engine reads it alike', () => {
    class Patterns {
      @Matches(/^[A-Z]{2}\d+(?:-x)?$/)
      code: string;

      @Matches(/^abc$/i)
      loose: string;

      @Matches(/^(?=.*\d)/)
      ahead: string;

      @Matches(/^[^\u00a0]*$/)
      escaped: string;
    }
    const patterns = ['code', 'loose', 'ahead', 'escaped'].map((name) => documentedOf(Patterns, name).pattern);
    expect(patterns).toStrictEqual(['^[A-Z]{2}\\d+(?:-x)?$', undefined, undefined, undefined]);
  });
});

describe('a class that the plugin of @nestjs/swagger has read', () => {
  class Dog {
    @IsString()
    @MaxLength(10)
    name: string;

    @IsInt()
    age: number;

    /** What the plugin of @nestjs/swagger generates from types and comments. */
    static _OPENAPI_METADATA_FACTORY(): object {
      return {
        name: { required: true, type: () => String, description: 'What it hears.', maxLength: 20 },
        age: { required: true, type: () => Number, example: 3 },
      };
    }
  }

  it('is documented by the comments that the plugin read, and by its own validators', () => {
    expect(documentedOf(Dog, 'name')).toMatchObject({
      type: 'string',
      required: true,
      description: 'What it hears.',
      maxLength: 10,
    });
    expect(documentedOf(Dog, 'age')).toMatchObject({ type: 'integer', required: true, example: 3 });
    expect(documentDto(Dog, new Set())).toEqual([]);
  });

  it('is refused where a property of it has no validator', () => {
    class Loose {
      @IsString()
      name: string;

      static _OPENAPI_METADATA_FACTORY(): object {
        return { name: { required: true, type: () => String }, owner: { required: true, type: () => String } };
      }
    }
    expect(undeclaredProperties(Loose)).toEqual([
      'Loose.owner is documented and has no validator, so that it is refused; add one, or @Allow()',
    ]);
  });
});

describe('a class whose document says something else than its validators', () => {
  class Odd {
    @ApiProperty({ maxLength: 20 })
    @MaxLength(10)
    name: string;

    @ApiProperty({ required: false })
    @MinLength(1)
    owner: string;

    @ApiProperty({ type: String })
    @IsInt()
    age: string;

    @ApiProperty({ enum: ['a', 'b'] })
    @IsIn(['a', 'c'])
    kind: string;

    @ApiProperty({ description: 'Right.', example: 'x' })
    @IsString()
    right: string;

    @MaxLength(10)
    @TextProperty({ maxLength: 255 })
    text: string;

    @ApiProperty()
    colour: string;

    @ApiProperty({ type: 'string', format: 'binary' })
    picture: unknown;
  }

  it('is named by its properties', () => {
    expect(documentDto(Odd, new Set()).sort()).toEqual([
      'Odd.age is documented with type String, and its validators say "integer"',
      'Odd.kind is documented with enum ["a","b"], and its validators say ["a","c"]',
      'Odd.name is documented with maxLength 20, and its validators say 10',
      'Odd.owner is documented with required false, and its validators say true',
      'Odd.text is documented with maxLength 255, and its validators say 10',
    ]);
    expect(undeclaredProperties(Odd)).toEqual([
      'Odd.colour is documented and has no validator, so that it is refused; add one, or @Allow()',
    ]);
  });
});

const bounds = { minimum: 3, maximum: 9 };

it('neverText names what no text passes', () => {
  class Asked {
    @IntegerProperty(bounds)
    count: number;
    @Int64Property({})
    id: bigint;
    @IsInt()
    size: number;
    @IsBoolean()
    open: boolean;
  }
  class AskedMore extends Asked {
    @IsInt({ each: true })
    sizes: number[];
  }
  expect(neverText(AskedMore).sort()).toEqual(['count', 'id', 'open', 'size', 'sizes']);
});

it('neverText names nothing that is a text, or is made of one', () => {
  class Asked {
    @IntegerParameter(bounds)
    count?: number;
    @Int64Parameter({ minimum: 3n })
    id?: bigint;
    @TextParameter({ maxLength: 9 })
    text?: string;
    @EnumParameter({ enum: ['a', 'b'], enumName: 'Letter' })
    letter?: string;
    @IsNumberString()
    digits: string;
    @IsInt()
    @Type(() => Number)
    size: number;
    @IsBoolean()
    @Transform(({ value }) => value === 'true')
    open: boolean;
  }
  class AskedMore extends Asked {}
  expect(neverText(AskedMore)).toEqual([]);
});
