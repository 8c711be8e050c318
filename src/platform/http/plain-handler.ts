import {
  ForbiddenException,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import * as nest from '../nest-internals.js';
import type { ModulesContainer } from '@nestjs/core';
import type { Request, Response } from 'express';
import { isObservable, lastValueFrom } from 'rxjs';
import { ParseIdPipe } from '../int64.js';
import type { HandlerArgument, Route } from '../routing/index.js';
import type { Responder } from './answer.js';
import type { ErrorFilter } from './error.filter.js';
import { exchangeOf } from './exchange.js';
import { hasInterceptor } from './request.guards.js';

/** The global enhancers that the platform adds to every handler. */
export interface HandlerPipeline {
  /** In the order in which they run. */
  readonly guards: readonly CanActivate[];
  readonly pipe: PipeTransform;
  readonly responder: Responder;
  readonly filter: ErrorFilter;
}

/**
 * Metadata of decorators that add an enhancer to a handler, or change how its result is sent. With any of them, Nest
 * calls the handler.
 */
const NESTS_OWN = [
  nest.EXCEPTION_FILTERS_METADATA,
  nest.GUARDS_METADATA,
  nest.HEADERS_METADATA,
  nest.HOST_METADATA,
  nest.PIPES_METADATA,
  nest.REDIRECT_METADATA,
  nest.RENDER_METADATA,
  nest.SSE_METADATA,
  nest.VERSION_METADATA,
];

/** The whole body, the whole query, all parameters of the path, or one of them. */
type Input = HandlerArgument & { readonly kind: 'body' | 'query' | 'param' };

/**
 * Calls a handler that has only the platform's enhancers, as Nest would: the guards in their order, the pipe, the
 * handler, the answer. Every error goes to the filter. Why: docs/decisions/0019-request-path.md.
 */
export class PlainHandler {
  constructor(
    readonly route: Route,
    private readonly controller: object,
    private readonly inputs: readonly Input[],
    private readonly around: HandlerPipeline,
  ) {}

  /** Never rejects. */
  async handle(request: Request, response: Response, parameters: object): Promise<void> {
    const { guards, responder, filter } = this.around;
    const exchange = exchangeOf(request);
    try {
      const context = new PlainContext(this.route, request, response) as unknown as ExecutionContext;
      for (const guard of guards) {
        const verdict = guard.canActivate(context) as boolean | Promise<boolean>;
        if (verdict !== true && !(await verdict)) throw new ForbiddenException();
      }
      const values: unknown[] = [];
      for (const input of this.inputs) {
        const value = this.valueOf(input, request, parameters);
        values[input.index] = value instanceof Promise ? await value : value;
      }
      const result: unknown = await (this.route.handler as (...values: unknown[]) => unknown).apply(
        this.controller,
        values,
      );
      const value = isObservable(result) ? await lastValueFrom(result) : result;
      responder.send(exchange, response, value, this.route.successStatus);
    } catch (thrown) {
      filter.answer(thrown, request, response);
    }
  }

  private valueOf({ kind, data, type: metatype, pipes: [parseId] }: Input, request: Request, parameters: object) {
    const named = typeof data === 'string' ? data : undefined;
    const all: unknown = kind === 'param' ? parameters : kind === 'body' ? request.body : request.query;
    const value = named === undefined ? all : (all as Readonly<Record<string, unknown>>)[named];
    const checked: unknown = this.around.pipe.transform(value, { type: kind, metatype, data: named });
    return parseId instanceof ParseIdPipe ? parseId.transform(checked as string) : checked;
  }
}

/** The plain handlers of these routes. Nest calls all others. */
export function plainHandlers(
  modules: ModulesContainer,
  routes: readonly Route[],
  around: HandlerPipeline,
): PlainHandler[] {
  return routes.flatMap((route) => {
    const wrappers = [...modules.values()].flatMap(({ controllers }) => controllers.get(route.controller) ?? []);
    const [wrapper] = wrappers;
    const inputs = inputsOf(route);
    const own =
      hasInterceptor(route) ||
      NESTS_OWN.some((key) =>
        [route.handler, route.controller].some((at) => Reflect.getMetadata(key, at) !== undefined),
      );
    if (wrapper === undefined || wrappers.length > 1 || inputs === undefined || own) return [];
    // Other handlers may return an Observable, which must end when the client disconnects.
    if (Reflect.getMetadata('design:returntype', route.controller.prototype as object, route.handlerName) !== Promise)
      return [];
    // A handler without a documented response type may return a stream.
    if (documentedType(route) === undefined) return [];
    // Only Nest can create a controller for each request.
    if (!wrapper.isDependencyTreeStatic()) return [];
    return [new PlainHandler(route, wrapper.instance, inputs, around)];
  });
}

/** The response type that the decorators of `@nestjs/swagger` name. */
function documentedType({ handler, successStatus }: Route): unknown {
  const responses = Reflect.getMetadata(nest.SWAGGER.response, handler) as
    Record<number, { type?: unknown }> | undefined;
  return responses?.[successStatus]?.type;
}

/** Undefined if an argument is not an `Input`. */
function inputsOf({ inputs }: Route): readonly Input[] | undefined {
  if (!inputs.every(isPlain)) return undefined;
  // Nest runs the pipes of several arguments at the same time, and decides which error comes first.
  return inputs.filter(({ kind }) => kind !== 'param').length > 1 ? undefined : inputs;
}

function isPlain(input: HandlerArgument): input is Input {
  const { kind, data, isPiped, pipes } = input;
  const isId = pipes.length === 1 && pipes[0] instanceof ParseIdPipe;
  const isWhole = kind === 'param' || ((kind === 'body' || kind === 'query') && data === undefined);
  return isWhole && (!isPiped || isId);
}

/**
 * The part of Nest's `ExecutionContext` that the platform's guards use. Nest's own creates closures for each guard that
 * reads the request.
 */
class PlainContext {
  constructor(
    private readonly route: Route,
    private readonly request: Request,
    private readonly response: Response,
  ) {}

  getClass(): Type {
    return this.route.controller;
  }

  getHandler(): Route['handler'] {
    return this.route.handler;
  }

  switchToHttp(): this {
    return this;
  }

  getRequest(): Request {
    return this.request;
  }

  getResponse(): Response {
    return this.response;
  }
}
