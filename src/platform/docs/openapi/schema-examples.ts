import type { OpenAPIObject } from '@nestjs/swagger';

/** The part of JSON Schema that DTO classes are described in. */
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

export type Schemas = Record<string, Schema>;

export function schemasOf(document: OpenAPIObject): Schemas {
  return (document.components?.schemas ?? {}) as Schemas;
}

const PREFIX = '#/components/schemas/';

/** The name that a reference points to; undefined for a schema that is no reference. */
export function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.startsWith(PREFIX) ? schema.$ref.slice(PREFIX.length) : undefined;
}

export function reference(name: string): { $ref: string } {
  return { $ref: PREFIX + name };
}

/** A value that the schema allows, put together from the examples of its parts; undefined where a part has none. */
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
