import type { OpenAPIObject } from '@nestjs/swagger';
import { INT64_MAX, INT64_MIN } from '../../int64.js';

/**
 * Gives every int64 its exact bounds, and converts what @nestjs/swagger writes in the style of OpenAPI 3.0 to JSON
 * Schema: `example`, and an `allOf` with one entry, which it uses to combine a reference with other keywords.
 */
export function completeSchema(schema: Schema): void {
  const { properties = {}, items, allOf = [], type, format, example } = schema;
  for (const part of [...Object.values(properties), ...allOf, ...(items ? [items] : [])]) completeSchema(part);
  if (allOf.length === 1) {
    Object.assign(schema, allOf[0]);
    delete schema.allOf;
  }
  if (format === 'int64' && [type].flat().includes('integer')) {
    schema.minimum ??= INT64_MIN;
    schema.maximum ??= INT64_MAX;
  }
  if (example === undefined) return;
  schema.examples ??= [example];
  delete schema.example;
}

/** Bodies with unknown fields are refused, so their schemas and nested schemas get `additionalProperties: false`. */
export function closeSchema(schema: Schema, schemas: Schemas): void {
  for (const part of schema.anyOf ?? []) closeSchema(part, schemas);
  const name = nameOf(schema);
  const target = name === undefined ? schema : schemas[name];
  if (target?.properties === undefined || target.additionalProperties !== undefined) {
    if (target?.items) closeSchema(target.items, schemas);
    return;
  }
  target.additionalProperties = false;
  for (const part of Object.values(target.properties)) closeSchema(part, schemas);
}

/**
 * Gives a list of a named schema its own name: the list's `title`, or the plural of the item's name, `Pets` for `Pet`.
 */
export function nameList(schema: Schema, document: OpenAPIObject): Schema {
  const item = schema.type === 'array' && schema.items ? nameOf(schema.items) : undefined;
  if (item === undefined) return schema;
  const { title = plural(item), ...list } = schema;
  schemasOf(document)[title] = { ...list, description: `A list of ${item}.` } as Schema;
  return reference(title);
}

function plural(name: string): string {
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** The part of JSON Schema that describes DTO classes. */
export interface Schema {
  $ref?: string;
  title?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: unknown;
  maximum?: unknown;
  additionalProperties?: unknown;
}

type Schemas = Record<string, Schema>;

export function schemasOf(document: OpenAPIObject): Schemas {
  return (document.components?.schemas ?? {}) as Schemas;
}

const PREFIX = '#/components/schemas/';

/** The name of the schema that a reference points to; undefined if the schema is not a reference. */
function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.startsWith(PREFIX) ? schema.$ref.slice(PREFIX.length) : undefined;
}

function reference(name: string): { $ref: string } {
  return { $ref: PREFIX + name };
}

/** An example value of a schema, composed from the examples of its parts. Undefined if there is none. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  const [same] = [schemas[nameOf(schema) ?? ''], schema.allOf?.[0], schema.anyOf?.[0]].filter(Boolean);
  if (same) return exampleOf(same, schemas);
  if (schema.items) {
    const item = exampleOf(schema.items, schemas);
    return item === undefined ? undefined : [item];
  }
  if (schema.properties) {
    const parts = Object.entries(schema.properties).map(([key, part]) => [key, exampleOf(part, schemas)] as const);
    return Object.fromEntries(parts.filter(([, example]) => example !== undefined));
  }
  return schema.default ?? schema.enum?.[0];
}
