import { documentedProperties, SWAGGER } from '../nest-internals.js';
import type { Type } from '@nestjs/common';
import type { Route } from '../routing/index.js';
import { documentDto, undeclaredProperties } from '../validation/index.js';
import { clashes } from './claims.js';

/** A documented field, or a documented response. */
interface Field {
  readonly type?: unknown;
  readonly enumName?: string;
  readonly enum?: unknown;
  readonly items?: { readonly enum?: unknown };
}

/** The documented responses of a handler, by status. */
function responsesOf(handler: object): Readonly<Record<string, Field>> {
  return (Reflect.getMetadata(SWAGGER.response, handler) ?? {}) as Record<string, Field>;
}

/**
 * The documented fields of a handler's response with this status; undefined if it has no class with documented fields.
 */
export function fieldsOfAnswer({ handler }: Route, status: number): readonly string[] | undefined {
  const type = classOf(responsesOf(handler)[status]?.type);
  return type && documentedProperties(type).map(([name]) => name);
}

/**
 * The class of a documented type, which may also be an array or a function that returns the class. Undefined if the
 * class has no documented fields.
 */
function classOf(type: unknown): Type | undefined {
  const single: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof single !== 'function') return undefined;
  // @nestjs/swagger too recognises `{ type: () => Toy }` by the name of the function.
  if (single.name === 'type') return classOf((single as () => unknown)());
  return Reflect.hasMetadata(SWAGGER.properties, single.prototype as object) ? (single as Type) : undefined;
}

/** The name of the class in the OpenAPI document. */
function nameOf(type: Type): string {
  const schemas = Reflect.getOwnMetadata(SWAGGER.schema, type) as { readonly name?: string }[] | undefined;
  return schemas?.at(-1)?.name ?? type.name;
}

function fieldsOf(type: Type): Field[] {
  return documentedProperties<Field>(type).map(([, field]) => field);
}

/**
 * Documents the classes of requests and responses by their validators, before the OpenAPI document is built.
 *
 * @returns one sentence for each contradiction between the documentation and the validators.
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

/** The classes of a handler's inputs: its body or a body field, the whole query, all path parameters. */
function inputsOf({ inputs }: Route): { readonly kind: string; readonly type: Type }[] {
  return inputs.flatMap(({ kind, data, type }) =>
    kind !== undefined && (kind === 'body' || typeof data !== 'string') && isClass(type) ? [{ kind, type }] : [],
  );
}

function isClass(type: unknown): type is Type {
  // `type: () => Toy` names a class that is not loaded yet. @nestjs/swagger recognises such a function by its name.
  return typeof type === 'function' && type.name !== 'type';
}

/** The source of a schema in the document: a class, or the values of an enumeration as text. */
type Source = Type | string;

/**
 * One sentence for each schema name that has two sources. @nestjs/swagger would use the last source for all of them,
 * and document the operations of the others wrongly.
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
  // A query class has no schema itself; only its enumerations have.
  const asked = inputs.flatMap(({ kind, type }) =>
    schemasUnder(type).filter(([, source]) => kind === 'body' || source !== type),
  );
  return [...asked, ...answered];
}

/** The schemas of a class and of all classes in its fields. */
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
