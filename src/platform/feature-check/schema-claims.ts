import type { Type } from '@nestjs/common';
import type { Route } from '../routing/index.js';
import { clashes } from './claims.js';

/** What @nestjs/swagger leaves on a handler, a class and a class's fields. */
const RESPONSES = 'swagger/apiResponse';
const SCHEMA = 'swagger/apiSchema';
const FIELDS = 'swagger/apiModelPropertiesArray';
const FIELD = 'swagger/apiModelProperties';

/** What a schema of the document is made of: a class, or the values of an enumeration as text. */
type Source = Type | string;

interface Field {
  readonly type?: unknown;
  readonly enumName?: string;
  readonly enum?: unknown;
  readonly items?: { readonly enum?: unknown };
}

/**
 * One sentence for each schema of the document that is made of two things: @nestjs/swagger would let the last one stand
 * for all, and the operations of the others would be documented wrongly.
 */
export function clashesOfSchemas(routes: readonly Route[]): string[] {
  const owners = new Map<string, Map<Source, string>>();
  for (const route of routes) {
    for (const [name, source] of schemasOf(route)) {
      const sources = owners.get(name) ?? new Map<Source, string>();
      owners.set(name, sources.has(source) ? sources : sources.set(source, `feature '${route.feature}'`));
    }
  }
  const claims = [...owners].flatMap(([name, sources]) => [...sources.values()].map((owner) => [owner, name] as const));
  return clashes('schema', [['the platform', 'Error'], ...claims]);
}

function schemasOf({ controller, handler, operationId, bodyType }: Route): [string, Source][] {
  const parameters = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, operationId) ??
    []) as unknown[];
  const responses = (Reflect.getMetadata(RESPONSES, handler) ?? {}) as Record<string, Field>;
  const answered = Object.values(responses).flatMap(({ type }) => schemasUnder(type));
  // Of a query there are schemas for its enumerations only.
  const asked = parameters.flatMap((type) =>
    schemasUnder(type).filter(([, source]) => type === bodyType || source !== type),
  );
  return [...asked, ...answered];
}

/** The fields of what a handler answers with this status; undefined where no class with documented ones says so. */
export function fieldsOfAnswer({ handler }: Route, status: number): readonly string[] | undefined {
  const responses = (Reflect.getMetadata(RESPONSES, handler) ?? {}) as Record<string, Field>;
  const type = classOf(responses[status]?.type);
  return type && namesOf(type);
}

/** The schemas of a class and of all that its fields hold. */
function schemasUnder(root: unknown): [string, Source][] {
  const found: [string, Source][] = [];
  const seen = new Set<unknown>();
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const type = classOf(next);
    if (type === undefined || seen.has(type)) continue;
    seen.add(type);
    found.push([nameOf(type), type]);
    for (const field of fieldsOf(type)) {
      const values = field.enum ?? field.items?.enum;
      if (field.enumName !== undefined) found.push([field.enumName, JSON.stringify(values)]);
      else waiting.push(field.type);
    }
  }
  return found;
}

/** A class with documented fields, which may be given in an array or by a function. */
function classOf(type: unknown): Type | undefined {
  const single: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof single !== 'function') return undefined;
  // As @nestjs/swagger tells `{ type: () => Pet }` from a class.
  if (single.name === 'type') return classOf((single as () => unknown)());
  return Reflect.hasMetadata(FIELDS, single.prototype as object) ? (single as Type) : undefined;
}

function nameOf(type: Type): string {
  const schemas = Reflect.getOwnMetadata(SCHEMA, type) as { readonly name?: string }[] | undefined;
  return schemas?.at(-1)?.name ?? type.name;
}

function fieldsOf(type: Type): Field[] {
  const prototype = type.prototype as object;
  return namesOf(type).map((name) => (Reflect.getMetadata(FIELD, prototype, name) ?? {}) as Field);
}

function namesOf({ prototype }: Type): string[] {
  const names = (Reflect.getMetadata(FIELDS, prototype as object) ?? []) as string[];
  return names.map((name) => name.slice(1));
}
