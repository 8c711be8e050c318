import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { defineFeature } from '../feature.js';
import { platformSchema } from '../schema.js';
import { checkFeatures } from './check-features.js';

class NewCat {
  @ApiProperty({ maxLength: 20 })
  @MaxLength(10)
  name: string;

  @ApiProperty()
  colour: string;
}

class ListCats {
  @IsOptional()
  @IsString()
  name?: string;
}

class OneCat {
  @IsUUID()
  id: string;
}

@Controller('cats')
class CatsController {
  @Post()
  create(@Body() _cat: NewCat): void {}

  @Get()
  findAll(@Query() _query: ListCats): void {}

  @Get(':id')
  findOne(@Param() _params: OneCat): void {}
}

@Controller('dogs')
class DogsController {
  @Get()
  findAll(@Query() _query: ListCats): void {}
}

@Module({ controllers: [CatsController] })
class CatsModule {}

@Module({ controllers: [DogsController] })
class DogsModule {}

const check = (name: string, module: new () => object) =>
  checkFeatures([defineFeature({ name, platform: '^1.0.0', module })], { ...platformSchema, version: '1.0.0' }, '/v1');

describe('a document that says something else than the validators', () => {
  it('stops the start', async () => {
    await expect(check('cats', CatsModule)).rejects.toMatchObject({
      violations: [
        "feature 'cats': NewCat.colour is documented and has no validator, so that it is refused; add one, or @Allow()",
        "feature 'cats': NewCat.name is documented with maxLength 20, and its validators say 10",
      ],
    });
  });
});

describe('parameters', () => {
  it('are described, and never null', async () => {
    await check('dogs', DogsModule);
    const described = Reflect.getMetadata('swagger/apiModelProperties', ListCats.prototype, 'name') as object;
    expect(described).toEqual({ type: 'string', isArray: false, required: false });
  });
});
