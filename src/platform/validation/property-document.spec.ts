import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Post, Query, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiOkResponse, DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { Int64Parameter, Int64Property } from '../int64.js';
import { stringifyJson } from '../json/index.js';
import { EnumParameter, EnumProperty, IntegerParameter, TextProperty } from './index.js';

enum Size {
  small = 'small',
  large = 'large',
}
const size = { enum: Size, enumName: 'Size', enumDescription: 'How big a box is.' } as const;

class PageOfBoxes {
  @IntegerParameter({ minimum: 1, maximum: 100, default: 20, description: 'How many.' })
  limit: number;
}
class ListBoxes extends PageOfBoxes {
  @EnumParameter({ ...size, description: 'Only of this size.' })
  size?: Size;

  @Int64Parameter({ minimum: 1n, example: 9007199254740993n })
  shelf?: bigint;
}
class NewBox {
  @TextProperty({ maxLength: 255, description: 'Its label.', example: 'Nails' })
  label: string;

  @Int64Property({ description: 'Where it stands.', example: 7n })
  shelf: bigint;

  @EnumProperty({ ...size, required: false })
  size?: Size;
}
class Box extends NewBox {
  @Int64Property({ minimum: 1n })
  id: bigint;
}

@Controller('boxes')
class BoxesController {
  @Get()
  @ApiOkResponse({ type: [Box] })
  list(@Query() _query: ListBoxes): Box[] {
    return [];
  }

  @Post()
  create(@Body() _body: NewBox): void {}
}

@Module({ controllers: [BoxesController] })
class BoxesModule {}

describe('what the property decorators tell the OpenAPI document', () => {
  let application: INestApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    application = await NestFactory.create(BoxesModule, { logger: false });
    document = SwaggerModule.createDocument(application, new DocumentBuilder().setOpenAPIVersion('3.1.0').build());
  });
  afterAll(() => application.close());

  it('describes each query parameter', () => {
    expect(document.paths['/boxes']?.get?.parameters).toEqual([
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'How many.',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      },
      {
        name: 'size',
        in: 'query',
        required: false,
        description: 'Only of this size.',
        schema: { $ref: '#/components/schemas/Size' },
      },
      {
        name: 'shelf',
        in: 'query',
        required: false,
        schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 2n ** 63n - 1n, example: 9007199254740993n },
      },
    ]);
  });

  it('describes each body field', () => {
    expect(document.components?.schemas?.['NewBox']).toEqual({
      type: 'object',
      properties: {
        label: {
          type: 'string',
          minLength: 1,
          maxLength: 255,
          pattern: expect.any(String),
          description: 'Its label.',
          example: 'Nails',
        },
        shelf: {
          type: 'integer',
          format: 'int64',
          minimum: -(2n ** 63n),
          maximum: 2n ** 63n - 1n,
          description: 'Where it stands.',
          example: 7,
        },
        size: { allOf: [{ $ref: '#/components/schemas/Size' }] },
      },
      required: ['label', 'shelf'],
    });
    expect(document.components?.schemas?.['Box']).toMatchObject({ required: ['label', 'shelf', 'id'] });
  });

  it('has one schema for an enum, whoever uses it (swagger#1479)', () => {
    expect(document.components?.schemas?.['Size']).toMatchObject({
      type: 'string',
      enum: ['small', 'large'],
      description: 'How big a box is.',
    });
    expect(Object.keys(document.components?.schemas ?? {}).toSorted()).toEqual(['Box', 'NewBox', 'Size']);
  });

  it('prints the bounds of int64 with their own digits', () => {
    const text = stringifyJson(document);
    expect(text).toContain('"minimum":-9223372036854775808,"maximum":9223372036854775807');
    expect(text).toContain('"example":9007199254740993');
  });
});
