import type { Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import * as nest from '../nest-internals.js';
import { classOf, type DeclaredFeature } from './declared-features.js';

/**
 * Metadata about the dependencies of a class, written by the compiler or by `@Inject()` on a parameter or a property.
 */
const KNOWN_NEEDS = [nest.PARAMTYPES_METADATA, nest.SELF_DECLARED_DEPS_METADATA, nest.PROPERTY_DEPS_METADATA];

/**
 * Finds classes that Nest would create without their dependencies, WebSocket gateways, which would answer without a
 * key, message handlers, which would never be called, and views, which no engine renders.
 */
export function faultsOfClasses({ modules }: DeclaredFeature): string[] {
  const made = new Set(
    modules.flatMap(({ type, controllers, providers }) => [
      type,
      ...controllers,
      ...controllers.flatMap(classesAround),
      ...providers.flatMap(classOf),
    ]),
  );
  return [...made].flatMap((type) => [
    ...(takesSomething(type) && !KNOWN_NEEDS.some((key) => Reflect.hasMetadata(key, type))
      ? [
          `has ${type.name}, of whose constructor Nest knows nothing: ` +
            'it lacks @Injectable(), or was compiled without emitDecoratorMetadata; ' +
            'where it can do with nothing, provide it by useFactory',
        ]
      : []),
    ...(Reflect.hasMetadata(nest.GATEWAY_METADATA, type)
      ? [`has ${type.name}, a WebSocket gateway, and the service speaks HTTP only; send events by @Sse()`]
      : []),
    ...handlersOf(type).flatMap(([name, handler]) => [
      ...(Reflect.hasMetadata(nest.PATTERN_METADATA, handler)
        ? [`has ${type.name}.${name}, which waits for messages, and the service takes none; declare it by @Post()`]
        : []),
      ...(Reflect.hasMetadata(nest.RENDER_METADATA, handler)
        ? [
            `has ${type.name}.${name}, which renders a view, and there is no view engine; return JSON, or text with @Header()`,
          ]
        : []),
    ]),
  ]);
}

/** Where `@UseGuards()` and its like keep the classes that they receive, on a controller or a handler. */
const AROUND = [nest.GUARDS_METADATA, nest.INTERCEPTORS_METADATA, nest.PIPES_METADATA, nest.EXCEPTION_FILTERS_METADATA];

/** The guards, interceptors, pipes and filters of a controller and its handlers that Nest creates. */
function classesAround(controller: Type): Type[] {
  const bearers = [controller, ...handlersOf(controller).map(([, handler]) => handler)];
  const given = bearers.flatMap((bearer) =>
    AROUND.flatMap((key) => (Reflect.getMetadata(key, bearer) ?? []) as readonly unknown[]),
  );
  return given.filter((each) => typeof each === 'function') as Type[];
}

function handlersOf({ prototype }: Type): [name: string, handler: object][] {
  const methods = prototype as Readonly<Record<string, object>>;
  return new MetadataScanner().getAllMethodNames(methods).map((name) => [name, methods[name] as object]);
}

/**
 * False for a constructor function that is not a class (Node's `EventEmitter`), and for a class that only inherits its
 * constructor, such as a subclass of a library's client. They need no injection.
 */
function takesSomething(type: Type): boolean {
  return type.length > 0 && Function.prototype.toString.call(type).startsWith('class');
}
