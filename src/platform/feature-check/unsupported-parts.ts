import type { Type } from '@nestjs/common';
import {
  RENDER_METADATA,
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PARAMTYPES_METADATA,
  PIPES_METADATA,
  PROPERTY_DEPS_METADATA,
  SELF_DECLARED_DEPS_METADATA,
  GATEWAY_METADATA,
  PATTERN_METADATA,
} from '../nest-internals.js';
import { classOf, type DeclaredFeature, type DeclaredModule } from './declared-features.js';

/** Modules that put handlers of their own beside those of Nest's controllers, and what to write instead. */
const MODULES: Readonly<Record<string, string>> = {
  ServeStaticModule: 'serve files by a web server in front, or from a controller by StreamableFile',
  GraphQLModule: 'declare operations by controllers, or run GraphQL as a program of its own that calls this one',
};

/** One clause for each part that would never be reached, or would be without a key. */
export function faultsOfParts({ modules }: DeclaredFeature): string[] {
  const names = new Set(modules.map(({ type }) => type.name));
  const beside = Object.entries(MODULES).filter(([name]) => names.has(name));
  return [
    ...beside.map(([name, cure]) => `imports ${name}, which answers without a key and in a shape of its own; ${cure}`),
    ...modules.flatMap(faultsOfModule),
  ];
}

function faultsOfModule({ controllers, providers }: DeclaredModule): string[] {
  return [...providers.flatMap(classOf).flatMap(faultsOfGateway), ...controllers.flatMap(faultsOfHandlers)];
}

function faultsOfGateway(provider: Type): string[] {
  if (Reflect.getMetadata(GATEWAY_METADATA, provider) !== true) return [];
  return [`has ${provider.name}, a WebSocket gateway, and the service speaks HTTP only; send events by @Sse()`];
}

function faultsOfHandlers(controller: Type): string[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return members.flatMap(([name, { value }]) => {
    if (typeof value !== 'function') return [];
    const handler = `${controller.name}.${name}`;
    return [
      ...(Reflect.hasMetadata(PATTERN_METADATA, value as object)
        ? [`has ${handler}, which waits for messages, and the service takes none; declare it by @Post()`]
        : []),
      ...(Reflect.hasMetadata(RENDER_METADATA, value as object)
        ? [`has ${handler}, which renders a view, and there is no view engine; return JSON, or text with @Header()`]
        : []),
    ];
  });
}

/** What the compiler, else `@Inject()`, leaves on a class about what its constructor takes, or is put into it thereafter. */
const KNOWN_NEEDS = [PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA, PROPERTY_DEPS_METADATA];

/** Where `@UseGuards()` and its like leave the classes that they are given, on a controller or a handler. */
const AROUND = [GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA, EXCEPTION_FILTERS_METADATA];

/** Nest would make such an instance without a word, and everything that it takes would be undefined. */
export function faultsOfConstructors({ modules }: DeclaredFeature): string[] {
  const made = modules.flatMap(({ type, controllers, providers }) => [
    type,
    ...controllers,
    ...controllers.flatMap(classesAround),
    ...providers.flatMap(classOf),
  ]);
  return [...new Set(made)]
    .filter((type) => takesSomething(type) && !KNOWN_NEEDS.some((key) => Reflect.hasMetadata(key, type)))
    .map(
      ({ name }) =>
        `has ${name}, of whose constructor Nest knows nothing: ` +
        'it lacks @Injectable(), or was compiled without emitDecoratorMetadata; ' +
        'where it can do with nothing, provide it by useFactory',
    );
}

/** The guards, interceptors, pipes and filters of a controller and its handlers that Nest makes. */
function classesAround(controller: Type): Type[] {
  const members = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
  const bearers = [controller, ...members.map(({ value }) => value as unknown)].filter(isFunction);
  const given = bearers.flatMap((bearer) =>
    AROUND.flatMap((key) => (Reflect.getMetadata(key, bearer) ?? []) as readonly unknown[]),
  );
  return given.filter(isFunction) as Type[];
}

function isFunction(value: unknown): value is object {
  return typeof value === 'function';
}

/**
 * False for a constructor function that is no class (Node's `EventEmitter`), and for a class that only inherits a
 * constructor, such as a subclass of a library's client: they need no injection.
 */
function takesSomething(type: Type): boolean {
  return type.length > 0 && Function.prototype.toString.call(type).startsWith('class');
}
