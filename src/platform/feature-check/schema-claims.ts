import type { Type } from '@nestjs/common';
import type { Route } from '../routing/index.js';
import { clashes } from './claims.js';
import { classOf, fieldsOf, nameOf, responsesOf } from './documented-classes.js';

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

function schemasOf({ controller, handler, handlerName, bodyType }: Route): [string, Source][] {
  const parameters = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, handlerName) ??
    []) as unknown[];
  const answered = Object.values(responsesOf(handler)).flatMap(({ type }) => schemasUnder(type));
  // Of a query there are schemas for its enumerations only.
  const asked = parameters.flatMap((type) =>
    schemasUnder(type).filter(([, source]) => type === bodyType || source !== type),
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
