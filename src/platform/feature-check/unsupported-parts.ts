import type { Type } from '@nestjs/common';
import { RENDER_METADATA } from '@nestjs/common/constants.js';
import { classOf, type DeclaredFeature, type DeclaredModule } from './declared-features.js';

/** Modules that put handlers of their own beside those of Nest's controllers, and what to write instead. */
const MODULES: Readonly<Record<string, string>> = {
  ServeStaticModule: 'serve files by a web server in front, or from a controller by StreamableFile',
  GraphQLModule: 'declare operations by controllers, or run GraphQL as a program of its own that calls this one',
};

/** What `@WebSocketGateway()` leaves on a class, and `@MessagePattern()` and `@EventPattern()` on a handler. */
const GATEWAY = 'websockets:is_gateway';
const PATTERN = 'microservices:pattern';

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
  if (Reflect.getMetadata(GATEWAY, provider) !== true) return [];
  return [`has ${provider.name}, a WebSocket gateway, and the service speaks HTTP only; send events by @Sse()`];
}

function faultsOfHandlers(controller: Type): string[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return members.flatMap(([name, { value }]) => {
    if (typeof value !== 'function') return [];
    const handler = `${controller.name}.${name}`;
    return [
      ...(Reflect.hasMetadata(PATTERN, value as object)
        ? [`has ${handler}, which waits for messages, and the service takes none; declare it by @Post()`]
        : []),
      ...(Reflect.hasMetadata(RENDER_METADATA, value as object)
        ? [`has ${handler}, which renders a view, and there is no view engine; return JSON, or text with @Header()`]
        : []),
    ];
  });
}
