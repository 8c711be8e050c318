import type { Type } from '@nestjs/common';
import type { Route } from '../routing/index.js';

/** What @nestjs/swagger leaves on a handler, a class and a class's fields. */
const RESPONSES = 'swagger/apiResponse';
const SCHEMA = 'swagger/apiSchema';
const FIELDS = 'swagger/apiModelPropertiesArray';
const FIELD = 'swagger/apiModelProperties';

/** A documented field, or answer. */
interface Field {
  readonly type?: unknown;
  readonly enumName?: string;
  readonly enum?: unknown;
  readonly items?: { readonly enum?: unknown };
}

/** The documented answers of a handler, by their status. */
export function responsesOf(handler: object): Readonly<Record<string, Field>> {
  return (Reflect.getMetadata(RESPONSES, handler) ?? {}) as Record<string, Field>;
}

/** The fields of what a handler answers with this status; undefined where no class with documented ones says so. */
export function fieldsOfAnswer({ handler }: Route, status: number): readonly string[] | undefined {
  const type = classOf(responsesOf(handler)[status]?.type);
  return type && namesOf(type);
}

/** A class with documented fields, which may be given in an array or by a function. */
export function classOf(type: unknown): Type | undefined {
  const single: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof single !== 'function') return undefined;
  // As @nestjs/swagger tells `{ type: () => Pet }` from a class.
  if (single.name === 'type') return classOf((single as () => unknown)());
  return Reflect.hasMetadata(FIELDS, single.prototype as object) ? (single as Type) : undefined;
}

/** What the document calls it. */
export function nameOf(type: Type): string {
  const schemas = Reflect.getOwnMetadata(SCHEMA, type) as { readonly name?: string }[] | undefined;
  return schemas?.at(-1)?.name ?? type.name;
}

export function fieldsOf(type: Type): Field[] {
  const prototype = type.prototype as object;
  return namesOf(type).map((name) => (Reflect.getMetadata(FIELD, prototype, name) ?? {}) as Field);
}

function namesOf({ prototype }: Type): string[] {
  const names = (Reflect.getMetadata(FIELDS, prototype as object) ?? []) as string[];
  return names.map((name) => name.slice(1));
}
