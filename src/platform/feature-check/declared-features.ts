import type { DynamicModule, ForwardReference, Provider, Type, FactoryProvider } from '@nestjs/common';
import { ownerOf, type Entities, type Feature } from '../feature.js';
import { GLOBAL_MODULE_METADATA } from '../nest-internals.js';
import { holesIn, isThing } from './declaration-faults.js';
import { shareGlobals } from './equal-globals.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, EntitySchema } from 'typeorm';
import { ConfigError, type Config } from '../config/index.js';

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
  /** The parts of its modules that cannot be read, one clause each. */
  readonly unreadable: readonly string[];
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
 * every other one is given for example.
 */
export function declareFeatures(features: readonly Feature[]): Promise<DeclaredFeature[]> {
  const globals: DynamicModule[] = [];
  return Promise.all(
    features.map(async (feature) => ({ ...feature, ...(await modulesUnder(feature.module, globals)) })),
  );
}

async function modulesUnder(
  root: Type,
  globals: DynamicModule[],
): Promise<Pick<DeclaredFeature, 'entities' | 'modules' | 'needs' | 'unreadable'>> {
  const modules: DeclaredModule[] = [];
  const needs: Feature[] = [];
  const unreadable: string[] = [];
  const seen = new Set<unknown>();
  const waiting: Import[] = [root];
  const add = ({ imports, ...module }: Read): void => {
    modules.push(module);
    waiting.push(...imports);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const imported = await resolve(next);
    const dynamic = typeof imported === 'function' ? undefined : imported;
    const type = typeof imported === 'function' ? imported : imported.module;
    const owner = type === root ? undefined : ownerOf(type);
    if (typeof type !== 'function') {
      unreadable.push("imports an object that has no 'module'; name the module class, or what its forRoot() returns");
    } else if (owner !== undefined) {
      needs.push(owner);
      // A feature looks like a module in its dynamic form.
      if (owner === (imported as unknown))
        unreadable.push(`imports feature '${owner.name}' itself; import its .module`);
    } else {
      shareGlobals(Reflect.getMetadata('imports', type), globals);
      shareGlobals(dynamic?.imports, globals);
      // A class may be imported in several dynamic forms, but what its decorator says counts once.
      if (!seen.has(type)) add(readModule(type, unreadable));
      if (dynamic !== undefined && !seen.has(dynamic)) add(readDynamic(dynamic));
      seen.add(type).add(dynamic);
    }
  }
  const entities = [...new Set(modules.flatMap(({ type, providers }) => entitiesIn(type, providers)))];
  return { entities, modules, needs, unreadable };
}

async function resolve(imported: Import): Promise<Type | DynamicModule> {
  const settled = await imported;
  return 'forwardRef' in settled ? settled.forwardRef() : settled;
}

type Read = DeclaredModule & { readonly imports: readonly Import[] };

function readDynamic({
  module: type,
  controllers = [],
  providers = [],
  imports = [],
  exports = [],
  global: isGlobal,
}: DynamicModule): Read {
  return { type, controllers, providers, imports: imports as Import[], exports, isGlobal: isGlobal === true };
}

/** What a class says by its decorator; what of it cannot be read goes to `unreadable`. */
function readModule(type: Type, unreadable: string[]): Read {
  const list = <T>(what: 'controllers' | 'providers' | 'imports'): T[] => {
    const items: unknown = Reflect.getMetadata(what, type) ?? [];
    unreadable.push(...holesIn(`the ${what} of ${type.name}`, items));
    return Array.isArray(items) ? (items.filter(isThing) as T[]) : [];
  };
  const [controllers, providers, imports] = [
    list<Type>('controllers'),
    list<Provider>('providers'),
    list<Import>('imports'),
  ];
  const exports: unknown = Reflect.getMetadata('exports', type);
  return {
    type,
    controllers,
    providers,
    imports,
    exports: Array.isArray(exports) ? exports : [],
    isGlobal: Reflect.hasMetadata(GLOBAL_MODULE_METADATA, type),
  };
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
