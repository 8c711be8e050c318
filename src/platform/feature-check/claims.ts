import { DefaultNamingStrategy, EntitySchema, getMetadataArgsStorage } from 'typeorm';
import { coreErrors } from '../errors/index.js';
import type { Entities, Feature } from '../feature.js';

type Claim = readonly [owner: string, claim: string];

/** The parts of a feature, or of the platform, whose names must be unique. */
export type Claimant = Pick<Feature, 'migrations' | 'scopes' | 'errors' | 'config'> & {
  readonly entities: Entities;
  /** Tables in addition to those of the entities. */
  readonly tables?: readonly string[];
};

const naming = new DefaultNamingStrategy();

/** The table of an entity class; undefined for any other class. */
export function tableOf(entity: Entities[number]): string | undefined {
  if (entity instanceof EntitySchema) return naming.tableName(entity.options.name, entity.options.tableName);
  const [table] = getMetadataArgsStorage().filterTables(entity);
  return table && naming.tableName(entity.name, table.name);
}

const CLAIMS: Readonly<Record<string, (claimant: Claimant) => readonly string[]>> = {
  scope: ({ scopes = {} }) => Object.keys(scopes),
  migration: ({ migrations = [] }) => migrations.map(({ name }) => name),
  variable: ({ config }) => Object.keys(config?.variables ?? {}),
  // Some database servers ignore case in table names.
  table: ({ tables = [], entities }) => [
    ...tables,
    ...entities.flatMap((entity) => tableOf(entity)?.toLowerCase() ?? []),
  ],
  'error code': ({ errors = [] }) => errors.map(({ code }) => code),
};

/** One sentence for each name that two features, or a feature and the platform, both claim. */
export function clashesOf(features: readonly (Claimant & Pick<Feature, 'name'>)[], platform: Claimant): string[] {
  const owners = features.map((feature) => [`feature '${feature.name}'`, feature] as const);
  const errors = [...Object.values(coreErrors), ...(platform.errors ?? [])];
  const claimants = [['the platform', { ...platform, errors }] as const, ...owners];
  return [
    ...clashes(
      'name',
      owners.map(([owner, { name }]) => [owner, name]),
    ),
    ...Object.entries(CLAIMS).flatMap(([what, claimsOf]) =>
      clashes(
        what,
        claimants.flatMap(([owner, claimant]) => claimsOf(claimant).map((claim): Claim => [owner, claim])),
      ),
    ),
  ];
}

/** One sentence for each claim that occurs more than once. */
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
