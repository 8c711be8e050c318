import { DefaultNamingStrategy, EntitySchema, getMetadataArgsStorage } from 'typeorm';
import { coreErrors } from '../errors/index.js';
import type { Entities, Feature } from '../feature.js';
import type { Type } from '@nestjs/common';
import type { Route } from '../routing/index.js';
import { classOf, fieldsOf, nameOf, responsesOf } from './documented-classes.js';

type Claim = readonly [owner: string, claim: string];

/** What only one may have: the part of a feature that may clash, which the platform has too. */
export type Claimant = Pick<Feature, 'migrations' | 'scopes' | 'errors' | 'config'> & { readonly entities: Entities };

const naming = new DefaultNamingStrategy();

/** The table of an entity class; undefined where it is none. */
export function tableOf(entity: Entities[number]): string | undefined {
  if (entity instanceof EntitySchema) return naming.tableName(entity.options.name, entity.options.tableName);
  const [table] = getMetadataArgsStorage().filterTables(entity);
  return table && naming.tableName(entity.name, table.name);
}

/**
 * One sentence for each thing that is claimed more than once, by two features or by one and the platform.
 *
 * @param tables of the platform, besides those of its entities.
 */
export function clashesOf(
  features: readonly (Claimant & Pick<Feature, 'name'>)[],
  platform: Claimant,
  tables: readonly string[],
): string[] {
  const errors = [...Object.values(coreErrors), ...(platform.errors ?? [])];
  const claimants: [string, Claimant][] = [
    ['the platform', { ...platform, errors }],
    ...features.map((feature): [string, Claimant] => [`feature '${feature.name}'`, feature]),
  ];
  const claims = (what: (claimant: Claimant) => readonly string[]): Claim[] =>
    claimants.flatMap(([owner, claimant]) => what(claimant).map((claim): Claim => [owner, claim]));
  return [
    ...clashes(
      'name',
      features.map(({ name }) => [`feature '${name}'`, name]),
    ),
    ...clashes(
      'scope',
      claims(({ scopes }) => Object.keys(scopes ?? {})),
    ),
    ...clashes(
      'migration',
      claims(({ migrations }) => (migrations ?? []).map(({ name }) => name)),
    ),
    ...clashes(
      'variable',
      claims(({ config }) => Object.keys(config?.variables ?? {})),
    ),
    ...clashes('table', [
      ...tables.map((table): Claim => ['the platform', table]),
      // Some servers ignore case in the names of tables.
      ...claims(({ entities }) => entities.flatMap((entity) => tableOf(entity)?.toLowerCase() ?? [])),
    ]),
    ...clashes(
      'error code',
      claims((claimant) => (claimant.errors ?? []).map(({ code }) => code)),
    ),
  ];
}

/** One sentence for each thing that is claimed more than once. */
export function clashes(what: string, claims: readonly Claim[]): string[] {
  const owners = Map.groupBy(claims, ([, claim]) => claim);
  return [...owners]
    .filter(([, claimed]) => claimed.length > 1)
    .map(([claim, claimed]) => {
      const [first, ...others] = new Set(claimed.map(([owner]) => owner));
      const by = others.length === 0 ? `more than once by ${first}` : `by ${[first, ...others].join(' and ')}`;
      return `${what} '${claim}' is claimed ${by}`;
    });
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
