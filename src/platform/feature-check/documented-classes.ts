import { documentedProperties, SWAGGER } from '../nest-internals.js';
import type { Type } from '@nestjs/common';
import type { Route } from '../routing/index.js';
import { documentDto, undeclaredProperties } from '../validation/index.js';
import { clashes } from './claims.js';

/** A documented field, or answer. */
interface Field {
  readonly type?: unknown;
  readonly enumName?: string;
  readonly enum?: unknown;
  readonly items?: { readonly enum?: unknown };
}

/** The documented answers of a handler, by their status. */
function responsesOf(handler: object): Readonly<Record<string, Field>> {
  return (Reflect.getMetadata(SWAGGER.response, handler) ?? {}) as Record<string, Field>;
}

/** The fields of what a handler answers with this status; undefined where no class with documented ones says so. */
export function fieldsOfAnswer({ handler }: Route, status: number): readonly string[] | undefined {
  const type = classOf(responsesOf(handler)[status]?.type);
  return type && documentedProperties(type).map(([name]) => name);
}

/** A class with documented fields, which may be given in an array or by a function. */
function classOf(type: unknown): Type | undefined {
  const single: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof single !== 'function') return undefined;
  // As @nestjs/swagger distinguishes `{ type: () => Toy }` from a class.
  if (single.name === 'type') return classOf((single as () => unknown)());
  return Reflect.hasMetadata(SWAGGER.properties, single.prototype as object) ? (single as Type) : undefined;
}

/** What the document calls it. */
function nameOf(type: Type): string {
  const schemas = Reflect.getOwnMetadata(SWAGGER.schema, type) as { readonly name?: string }[] | undefined;
  return schemas?.at(-1)?.name ?? type.name;
}

function fieldsOf(type: Type): Field[] {
  return documentedProperties<Field>(type).map(([, field]) => field);
}

/**
 * Describes the classes that operations take and answer by their validators, before the document is made of them.
 *
 * @returns one sentence for each thing that the document would say otherwise than the validators do.
 */
export function documentClasses(routes: readonly Route[]): string[] {
  const seen = new Set<unknown>();
  return routes.flatMap((route) => {
    const taken = inputsOf(route);
    const answered = Object.values(responsesOf(route.handler)).flatMap(({ type }) => [type].flat());
    const faults = [
      ...taken.filter(({ type }) => !seen.has(type)).flatMap(({ type }) => undeclaredProperties(type)),
      ...taken.flatMap(({ type, kind }) => documentDto(type, seen, kind === 'body')),
      ...answered.filter(isClass).flatMap((type) => documentDto(type, seen)),
    ];
    return faults.map((fault) => `feature '${route.feature}': ${fault}`);
  });
}

/** The classes of what a handler takes: its body or a field of it, its whole query, all its path parameters. */
function inputsOf({ inputs }: Route): { readonly kind: string; readonly type: Type }[] {
  return inputs.flatMap(({ kind, data, type }) =>
    kind !== undefined && (kind === 'body' || typeof data !== 'string') && isClass(type) ? [{ kind, type }] : [],
  );
}

function isClass(type: unknown): type is Type {
  // `type: () => Toy` is for a class that is not loaded yet; @nestjs/swagger knows such a function by its name.
  return typeof type === 'function' && type.name !== 'type';
}

/** What a schema of the document is made of: a class, or the values of an enumeration as text. */
type Source = Type | string;

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

function schemasOf({ handler, inputs }: Route): [string, Source][] {
  const answered = Object.values(responsesOf(handler)).flatMap(({ type }) => schemasUnder(type));
  // A query has schemas for its enumerations only.
  const asked = inputs.flatMap(({ kind, type }) =>
    schemasUnder(type).filter(([, source]) => kind === 'body' || source !== type),
  );
  return [...asked, ...answered];
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
