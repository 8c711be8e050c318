import type { OpenAPIObject } from '@nestjs/swagger';
import { INT64_MAX, INT64_MIN } from '../../int64/index.js';
import { nameOf, reference, schemasOf, type Schema, type Schemas } from './schema-examples.js';

/**
 * Gives every int64 its exact bounds, and turns what Nest writes as OpenAPI 3.0 had it into JSON Schema: `example`, and
 * an `allOf` of one, which was the way to put anything beside a reference.
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

/** Bodies are refused for a field that is not known, so their schemas, and those within, are closed. */
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

/** A list of a named schema gets a name of its own, `Pets` for `Pet`, or what its `title` says. */
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
