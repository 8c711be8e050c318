import type { Feature } from '../feature.js';

/** What a feature may say of itself. */
const OPTIONS: Readonly<Record<keyof Feature, true>> = {
  name: true,
  platform: true,
  module: true,
  migrations: true,
  privileges: true,
  scopes: true,
  errors: true,
  config: true,
  samples: true,
};

const LISTS = ['migrations', 'errors'] as const;

/**
 * What makes a declaration one that cannot be read any further, one sentence each. The compiler says most of it too, but
 * not of an object that was put together elsewhere, nor of two files that import each other.
 */
export function faultsOfDeclaration(feature: Feature): string[] {
  const unknown = Object.keys(feature).filter((option) => !Object.hasOwn(OPTIONS, option));
  return [
    ...(typeof feature.name === 'string' ? [] : ['has no name']),
    ...(typeof feature.module === 'function' ? [] : ['has no module']),
    ...unknown.map((option) => `has an option '${option}'; ${insteadOf(option)}`),
    ...(isRecord(feature.scopes) ? [] : ["has no object as its scopes, such as { 'toys:read': 'List toys' }"]),
    ...LISTS.flatMap((list) => holesIn(`its ${list}`, feature[list])),
  ].map((fault) => `feature '${feature.name}' ${fault}`);
}

function insteadOf(option: string): string {
  return option === 'entities'
    ? 'its module registers them: imports: [TypeOrmModule.forFeature([…])]'
    : `there is ${Object.keys(OPTIONS).join(', ')}`;
}

/** Places of a list that have nothing in them, one clause each. */
export function holesIn(name: string, list: unknown): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`has no list as ${name}`];
  return list.flatMap((item: unknown, at) =>
    isThing(item)
      ? isIncompleteProvider(item)
        ? [`has a provider at [${at}] of ${name} without useClass, useValue, useFactory or useExisting${CIRCLE}`]
        : []
      : [`has ${String(item)} at [${at}] of ${name}${item === undefined ? CIRCLE : ', which nothing can be made of'}`],
  );
}

/** Whether it is a provider that says nothing of how it is made, as where its class is undefined. */
function isIncompleteProvider(item: object): boolean {
  const { useClass, useFactory, useExisting } = item as Partial<Record<string, unknown>>;
  return 'provide' in item && !('useValue' in item) && (useClass ?? useFactory ?? useExisting) === undefined;
}

const CIRCLE = '; two files that import each other leave one so';

/** A list is an object too, with its places as names. */
function isRecord(scopes: unknown): boolean {
  return scopes === undefined || (isThing(scopes) && !Array.isArray(scopes));
}

/** Whether it is a class, a provider, a module in its dynamic form, an error code. */
export function isThing(item: unknown): item is object {
  return (typeof item === 'object' && item !== null) || typeof item === 'function';
}
