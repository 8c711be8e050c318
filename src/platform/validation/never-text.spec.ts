import { expect, it } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, IsNumberString } from 'class-validator';
import { Int64Parameter, Int64Property } from '../int64.js';
import { EnumParameter, IntegerParameter, IntegerProperty, neverText, TextParameter } from './index.js';

const bounds = { minimum: 3, maximum: 9 };

it('names what no text passes', () => {
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

it('names nothing that is a text, or is made of one', () => {
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
