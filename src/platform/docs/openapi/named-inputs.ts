import { DefaultValuePipe, type Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import type { HandlerArgument, Route } from '../../routing/index.js';
import { SWAGGER } from '../../nest-internals.js';
import { hasShape } from '../../validation/index.js';
import type { Schema } from './schemas.js';

const SCHEMAS = new Map<unknown, Schema>([
  [String, { type: 'string' }],
  [Number, { type: 'number' }],
  [Boolean, { type: 'boolean' }],
  [BigInt, { type: 'integer', format: 'int64' }],
  [Date, { type: 'string', format: 'date-time' }],
  [Array, { type: 'array', items: {} }],
]);

/**
 * The body of a handler that takes body fields by their names, such as `@Body('user') user: UserDto`: one object with
 * all these fields. @nestjs/swagger does not document such a body. A form with files may have other fields.
 */
export function bodyOfFields({
  inputs,
  consumes,
}: Route): { required: boolean; content: Record<string, { schema: Schema }> } | undefined {
  const fields = namedIn(inputs, 'body');
  if (fields.length === 0) return undefined;
  const required = fields.filter(isRequired).map(({ data }) => data);
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ data, type }) => [data, schemaOf(type)])),
    ...(required.length > 0 && { required }),
    ...(inputs.some(({ kind }) => kind === 'file') && { additionalProperties: true }),
  };
  const content = Object.fromEntries(consumes.map((type) => [type, { schema: structuredClone(schema) }]));
  return { required: required.length > 0, content };
}

/** The DTO classes of body fields that handlers take by name, for @nestjs/swagger to document. */
export function classesOfFields(routes: readonly Route[]): Type[] {
  const types = routes.flatMap(({ inputs }) => namedIn(inputs, 'body')).map(({ type }) => type);
  return [...new Set(types)].filter(isDto);
}

/** A parameter object, as far as it is read or written here. */
export interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

/**
 * The parameters of an operation, with those added that its handler takes by name and @nestjs/swagger leaves out, such
 * as a `string | undefined`. Optional ones are not required, unless the feature itself documents them so.
 */
export function withNamedParameters(parameters: readonly Parameter[], { inputs, handler }: Route): Parameter[] {
  const given = (Reflect.getMetadata(SWAGGER.parameters, handler) ?? []) as Parameter[];
  const named = [...namedIn(inputs, 'query'), ...namedIn(inputs, 'param')].map((input) => ({
    name: input.data,
    in: input.kind === 'query' ? 'query' : 'path',
    required: input.kind === 'param' || isRequired(input),
    schema: schemaOf(input.type),
  }));
  const isOf = (left: Parameter) => (right: Parameter) => left.name === right.name && left.in === right.in;
  return [
    ...parameters.map((parameter) => {
      const own = given.some(isOf(parameter)) ? undefined : named.find(isOf(parameter));
      return own ? { ...parameter, required: own.required } : parameter;
    }),
    ...named.filter((parameter) => !parameters.some(isOf(parameter))),
  ];
}

type Named = HandlerArgument & { readonly data: string };

function namedIn(inputs: readonly HandlerArgument[], kind: HandlerArgument['kind']): Named[] {
  const named = inputs.filter((input): input is Named => input.kind === kind && typeof input.data === 'string');
  return named.toSorted((a, b) => a.index - b.index);
}

/**
 * A DTO is required. An argument with pipes is required too, as in @nestjs/swagger, unless one of the pipes accepts
 * undefined.
 */
function isRequired({ type, isPiped, pipes }: HandlerArgument): boolean {
  return isPiped ? !pipes.some(needsNoValue) : isDto(type);
}

/** Nest's pipes keep `{ optional: true }` in `options`, which subclasses inherit. */
function needsNoValue(pipe: unknown): boolean {
  return pipe instanceof DefaultValuePipe || (pipe as { options?: { optional?: boolean } }).options?.optional === true;
}

function isDto(type: Type | undefined): type is Type {
  return type !== undefined && type !== Object && !SCHEMAS.has(type) && hasShape(type);
}

function schemaOf(type: Type | undefined): Schema {
  return isDto(type) ? { $ref: getSchemaPath(type) } : (SCHEMAS.get(type) ?? {});
}
