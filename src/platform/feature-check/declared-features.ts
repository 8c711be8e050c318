import type { DynamicModule, FactoryProvider, ForwardReference, Provider, Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntitySchema } from 'typeorm';
import { ConfigError, type Config } from '../config/index.js';
import { ownerOf, type Entities, type Feature } from '../feature.js';
import { GLOBAL_MODULE_METADATA } from '../nest-internals.js';

/** What one Nest module declares, by its decorator or by its dynamic form. */
export interface DeclaredModule {
  readonly type: Type;
  readonly controllers: readonly Type[];
  readonly providers: readonly Provider[];
  readonly exports: readonly unknown[];
  readonly isGlobal: boolean;
}

/** A feature with all that its module brings. */
export interface DeclaredFeature extends Feature {
  /** The entities that its modules register by `TypeOrmModule.forFeature`. */
  readonly entities: Entities;
  /** The feature's own module and every module that it imports, directly or not, except those of other features. */
  readonly modules: readonly DeclaredModule[];
  /** The features whose modules it imports. */
  readonly needs: readonly Feature[];
  /** Those of them that it imports themselves in place of their modules. */
  readonly misread: readonly Feature[];
}

/** The class that Nest makes an instance of for a provider, where it makes one. */
export function classOf(provider: Provider): Type[] {
  if (typeof provider === 'function') return [provider];
  return 'useClass' in provider && typeof provider.useClass === 'function' ? [provider.useClass] : [];
}

type Import = Type | DynamicModule | Promise<DynamicModule> | ForwardReference<() => Type>;

/**
 * Reads what each feature's module and its imports declare, as it is written. Nothing is made of it yet, so that a
 * feature that may not start has run none of its code; and what Nest would add is not in it, a `@Global()` module that
 * every other one is given for example. What cannot be read is left out: Nest says where it is.
 */
export function declareFeatures(features: readonly Feature[]): Promise<DeclaredFeature[]> {
  const globals: DynamicModule[] = [];
  return Promise.all(
    features.map(async (feature) => ({ ...feature, ...(await modulesUnder(feature.module, globals)) })),
  );
}

async function modulesUnder(root: Type, globals: DynamicModule[]): Promise<Omit<DeclaredFeature, keyof Feature>> {
  const modules: DeclaredModule[] = [];
  const needs: Feature[] = [];
  const misread: Feature[] = [];
  const seen = new Set<unknown>();
  const waiting: Import[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const settled = await next;
    const imported = 'forwardRef' in settled ? settled.forwardRef() : settled;
    const type = typeof imported === 'function' ? imported : imported.module;
    if (typeof type !== 'function') continue;
    const owner = type === root ? undefined : ownerOf(type);
    if (owner !== undefined) {
      needs.push(owner);
      // A feature looks like a module in its dynamic form.
      if (owner === (imported as unknown)) misread.push(owner);
      continue;
    }
    // A class may be imported in several dynamic forms, but what its decorator says counts once.
    for (const declaration of new Set([type, imported])) {
      if (seen.has(declaration)) continue;
      const { imports, ...module } = readModule(declaration, globals);
      modules.push(module);
      waiting.push(...imports);
      seen.add(declaration);
    }
  }
  const entities = [...new Set(modules.flatMap(({ type, providers }) => entitiesIn(type, providers)))];
  return { entities, modules, needs, misread };
}

/** What a class says by its decorator, or a dynamic module by itself. */
function readModule(module: Type | DynamicModule, globals: DynamicModule[]): DeclaredModule & { imports: Import[] } {
  const isClass = typeof module === 'function';
  const list = <T>(name: 'controllers' | 'providers' | 'imports' | 'exports'): T[] => {
    const items: unknown = isClass ? Reflect.getMetadata(name, module) : module[name];
    if (!Array.isArray(items)) return [];
    if (name === 'imports') shareGlobals(items as DynamicModule[], globals);
    return items.filter((item) => Object(item) === item) as T[];
  };
  return {
    type: isClass ? module : module.module,
    controllers: list('controllers'),
    providers: list('providers'),
    imports: list('imports'),
    exports: list('exports'),
    isGlobal: isClass ? Reflect.hasMetadata(GLOBAL_MODULE_METADATA, module) : module.global === true,
  };
}

/**
 * Replaces equal global modules in a list of imports by one: Nest would make each of them, and with
 * `ScheduleModule.forRoot()` in two features run every job twice. A list that is frozen stays as it is.
 *
 * @param globals those of all lists so far; those of this one are added.
 */
function shareGlobals(imports: (DynamicModule | undefined)[], globals: DynamicModule[]): void {
  imports.forEach((imported, index) => {
    if (imported?.global !== true) return;
    const same = globals.find((other) => areEqual(other, imported));
    if (same === undefined) globals.push(imported);
    else Reflect.set(imports, index, same);
  });
}

/**
 * Whether two values are equal: lists and plain objects by their members, everything else by identity, since private fields
 * of instances cannot be compared.
 *
 * @param within the objects that hold `left`. An object that holds itself is equal to itself only.
 */
function areEqual(left: unknown, right: unknown, within: readonly unknown[] = []): boolean {
  if (Object.is(left, right)) return true;
  if (!isPlain(left) || !isPlain(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Reflect.ownKeys(left);
  return (
    !within.includes(left) &&
    names.length === Reflect.ownKeys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && areEqual(left[name], right[name], [...within, left]))
  );
}

function isPlain(value: unknown): value is Record<PropertyKey, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

type Entity = Entities[number];

/** A data source that gives whoever asks for an entity's repository the entity. */
const ASKED = {
  entityMetadatas: [],
  options: {},
  getRepository: (entity: Entity) => entity,
} as unknown as DataSource;

/** The entities that a module registers, where it is a `TypeOrmModule.forFeature`: its factories ask for their repositories. */
function entitiesIn(type: Type, providers: readonly Provider[]): Entities {
  if (type !== TypeOrmModule) return [];
  const factories = providers.filter((provider): provider is FactoryProvider => 'useFactory' in provider);
  return factories
    .filter(({ inject = [] }) => inject.includes(DataSource))
    .map(({ useFactory }) => (useFactory as (dataSource: DataSource) => Entity)(ASKED));
}

export function nameOfEntity(entity: Entity): string {
  return entity instanceof EntitySchema ? entity.options.name : entity.name;
}

/**
 * The features without those that FEATURES_OFF names, whose tables stay as they are.
 *
 * @throws {ConfigError} for a name that none of them has, and for variables of theirs that were not read.
 */
export function startedFeatures(
  features: readonly Feature[],
  { featuresOff, featureValues }: Config,
): readonly Feature[] {
  const known = features.map(({ name }) => name);
  if (!featuresOff.every((name) => known.includes(name))) {
    throw new ConfigError([{ name: 'FEATURES_OFF', reason: `may name only what there is: ${known.join(', ')}` }]);
  }
  const started = features.filter(({ name }) => !featuresOff.includes(name));
  const unread = started.flatMap(({ config }) => (config && !featureValues.has(config.KEY) ? [config] : []));
  const names = unread.flatMap(({ variables }) => Object.keys(variables));
  const reason = 'was not read: loadConfig takes the features as its third argument';
  if (names.length > 0) throw new ConfigError(names.map((name) => ({ name, reason })));
  return started;
}

/**
 * The features that read the environment by @nestjs/config: those that import its module, or all where that or its
 * `ConfigService` is global, by itself or as an export of a global module.
 */
export function readersOfEnvironment(features: readonly DeclaredFeature[]): readonly DeclaredFeature[] {
  const modules = features.flatMap((feature) => feature.modules);
  const ofConfig = modules.filter(isOfConfig);
  const tokens = new Set<unknown>(ofConfig.flatMap(({ type, providers }) => [type, ...providers.map(tokenOf)]));
  const isGlobal = [...givenToAll(modules)].some((token) => tokens.has(token));
  return features.filter((feature) => isGlobal || feature.modules.some(isOfConfig));
}

/** The global modules with all that they export, the exports of exported modules too. */
function givenToAll(modules: readonly DeclaredModule[]): ReadonlySet<unknown> {
  const given = new Set<unknown>(modules.filter(({ isGlobal }) => isGlobal).map(({ type }) => type));
  for (const token of given) {
    const ofToken = modules.filter(({ type }) => type === token);
    for (const exported of ofToken.flatMap(({ exports }) => exports)) given.add(tokenOf(exported));
  }
  return given;
}

/** The class of a module, or what a provider is injected by. */
function tokenOf(item: unknown): unknown {
  const { module, provide } = Object(item) as { readonly module?: unknown; readonly provide?: unknown };
  return module ?? provide ?? item;
}

/** Whether it is the ConfigModule of @nestjs/config, of which each package may have its own, or extends that. */
function isOfConfig({ type }: DeclaredModule): boolean {
  return 'envVariablesLoaded' in type;
}
