import { describe, expect, it } from '@jest/globals';
import { Body, Controller, DefaultValuePipe, Param, ParseIntPipe, Post, Query, UploadedFile } from '@nestjs/common';
import { ApiParam, ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { discoverRoutes, type Route } from '../../routing/index.js';
import { bodyOfFields, classesOfFields, withNamedParameters } from './named-inputs.js';

@ApiSchema({ name: 'Toy' })
class ToyDto {
  @IsString()
  name: string;
}

@Controller('toys/:toyId')
class ToysController {
  @Post('all')
  all(
    @Body('toy') _toy: ToyDto,
    @Body('card') _card: bigint,
    @Body('count', new DefaultValuePipe(1), ParseIntPipe) _count: number,
    @Body('again') _again: ToyDto,
  ): void {}

  @Post('file')
  file(@UploadedFile() _file: object, @Body('title') _title: string): void {}

  @Post('none')
  none(@Param('toyId') _id: string | undefined): void {}

  @Post('both')
  @ApiParam({ name: 'toyId', required: false })
  both(@Param('toyId') _id: string, @Query('toyId') _other?: string): void {}
}

const { routes } = discoverRoutes([{ name: 'toys', modules: [{ controllers: [ToysController] }] }], '/v1');
const route = (name: string): Route => routes.find(({ handlerName }) => handlerName === name)!;

describe('what a handler takes by its name', () => {
  it('of a body is one object, in the order of the handler', () => {
    const toy = { $ref: '#/components/schemas/Toy' };
    const schema = {
      type: 'object',
      properties: {
        toy,
        card: { type: 'integer', format: 'int64' },
        count: { type: 'number' },
        again: toy,
      },
      required: ['toy', 'again'],
    };
    const body = bodyOfFields(route('all'));
    expect(body).toStrictEqual({ required: true, content: { 'application/json': { schema } } });
    expect(Object.keys(body!.content['application/json']!.schema.properties!)).toStrictEqual(
      Object.keys(schema.properties),
    );
    expect(classesOfFields(routes)).toStrictEqual([ToyDto]);
  });

  it('leaves a form room for its files, and says nothing where there is no body', () => {
    const schema = { type: 'object', properties: { title: { type: 'string' } }, additionalProperties: true };
    expect(bodyOfFields(route('file'))).toStrictEqual({
      required: false,
      content: { 'multipart/form-data': { schema } },
    });
    expect(bodyOfFields(route('none'))).toBeUndefined();
  });

  it('of a path is there, whatever the compiler left of its type', () => {
    expect(withNamedParameters([], route('none'))).toStrictEqual([
      { name: 'toyId', in: 'path', required: true, schema: {} },
    ]);
  });

  it('of a query need not be there, whatever the feature says of the parameter of that name in the path', () => {
    const both = [
      { name: 'toyId', in: 'path', required: false },
      { name: 'toyId', in: 'query', required: true },
    ];
    const [path, query] = both;
    expect(withNamedParameters(both, route('both'))).toStrictEqual([path, { ...query, required: false }]);
  });
});
