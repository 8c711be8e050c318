import type { DynamicModule, FactoryProvider, ForwardReference, Provider, Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntitySchema } from 'typeorm';
import { ConfigError, type Config } from '../config/index.js';
import { ownerOf, type Entities, type Feature } from '../feature.js';
import { GLOBAL_MODULE_METADATA } from '../nest-internals.js';

/** The declarations of one Nest module, from its decorator or from its dynamic form. */
export interface DeclaredModule {
  readonly type: Type;
  readonly controllers: readonly Type[];
  readonly providers: readonly Provider[];
  readonly exports: readonly unknown[];
  readonly isGlobal: boolean;
}

/** A feature with everything that its modules declare. */
export interface DeclaredFeature extends Feature {
  /** The entities that its modules register by `TypeOrmModule.forFeature`. */
  readonly entities: Entities;
  /**
   * The feature's own module and every module that it imports, directly or indirectly, except modules of other
   * features.
   */
  readonly modules: readonly DeclaredModule[];
  /** The features whose modules this feature imports. */
  readonly needs: readonly Feature[];
  /** Features that it imports directly, although it must import their `.module`. */
  readonly misread: readonly Feature[];
}

/** The class that Nest instantiates for a provider, as a list; empty if there is none. */
export function classOf(provider: Provider): Type[] {
  if (typeof provider === 'function') return [provider];
  return 'useClass' in provider && typeof provider.useClass === 'function' ? [provider.useClass] : [];
}

type Import = Type | DynamicModule | Promise<DynamicModule> | ForwardReference<() => Type>;

/**
 * Reads what each feature's module and its imports declare. No provider is created yet, so that a feature that may not
 * start has not run its code. Additions by Nest are absent, for example `@Global()` modules, which Nest gives to every
 * module. Declarations that cannot be read are left out, because Nest reports them.
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
      // A feature has a property `module`, so it looks like a dynamic module.
      if (owner === (imported as unknown)) misread.push(owner);
      continue;
    }
    // A class may be imported in several dynamic forms, but its decorator is read once.
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

/** Reads the decorator of a class, or the properties of a dynamic module. */
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
 * Replaces equal global modules in a list of imports by the same object. Otherwise Nest would create each of them, and
 * with `ScheduleModule.forRoot()` in two features it would run every job twice. A frozen list is not changed.
 *
 * @param globals the global modules of all lists so far; those of this list are added.
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
 * Whether two values are equal. Lists and plain objects are compared by their members, everything else by identity,
 * because private fields of instances cannot be compared.
 *
 * @param within the objects that contain `left`. An object that contains itself is equal only to itself.
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

/** A data source whose `getRepository` returns the entity itself. */
const ASKED = {
  entityMetadatas: [],
  options: {},
  getRepository: (entity: Entity) => entity,
} as unknown as DataSource;

/**
 * The entities that a `TypeOrmModule.forFeature` registers. Each of its factories asks for the repository of one
 * entity.
 */
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
 * The features without those that FEATURES_OFF names. The tables of a feature that is off are not changed.
 *
 * @throws {ConfigError} if FEATURES_OFF has an unknown name, or if the variables of a started feature were not read.
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
 * The features that read the environment through @nestjs/config: those that import its module. If the module or its
 * `ConfigService` is global, or a global module exports one of them, these are all features.
 */
export function readersOfEnvironment(features: readonly DeclaredFeature[]): readonly DeclaredFeature[] {
  const modules = features.flatMap((feature) => feature.modules);
  const ofConfig = modules.filter(isOfConfig);
  const tokens = new Set<unknown>(ofConfig.flatMap(({ type, providers }) => [type, ...providers.map(tokenOf)]));
  const isGlobal = [...givenToAll(modules)].some((token) => tokens.has(token));
  return features.filter((feature) => isGlobal || feature.modules.some(isOfConfig));
}

/** The global modules with everything that they export, including the exports of exported modules. */
function givenToAll(modules: readonly DeclaredModule[]): ReadonlySet<unknown> {
  const given = new Set<unknown>(modules.filter(({ isGlobal }) => isGlobal).map(({ type }) => type));
  for (const token of given) {
    const ofToken = modules.filter(({ type }) => type === token);
    for (const exported of ofToken.flatMap(({ exports }) => exports)) given.add(tokenOf(exported));
  }
  return given;
}

/** The class of a module, or the injection token of a provider. */
function tokenOf(item: unknown): unknown {
  const { module, provide } = Object(item) as { readonly module?: unknown; readonly provide?: unknown };
  return module ?? provide ?? item;
}

/**
 * Whether a module is the ConfigModule of @nestjs/config or extends it. Packages may have copies of it, so this does
 * not compare classes.
 */
function isOfConfig({ type }: DeclaredModule): boolean {
  return 'envVariablesLoaded' in type;
}
