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

/** What the platform puts around every handler. */
export interface HandlerPipeline {
  /** In their order. */
  readonly guards: readonly CanActivate[];
  readonly pipe: PipeTransform;
  readonly responder: Responder;
  readonly filter: ErrorFilter;
}

/** What decorators of Nest put around a handler, or do with its result. With any of them, Nest calls the handler. */
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

/** The whole body, the whole query, or of the path a parameter or all of them. */
type Input = HandlerArgument & { readonly kind: 'body' | 'query' | 'param' };

/**
 * Calls a handler that has nothing around it but what the platform puts around every one, as Nest would: the guards in
 * their order, the pipe, the handler, the answer; a failure of any goes to the filter. Why:
 * docs/decisions/0019-request-path.md.
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

/** The handlers of these routes that are plain; what is not is left to Nest. */
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
    // What else may come of it, an Observable, is to end when the client is gone.
    if (Reflect.getMetadata('design:returntype', route.controller.prototype as object, route.handlerName) !== Promise)
      return [];
    // What is not documented to be JSON may be a stream.
    if (documentedType(route) === undefined) return [];
    // What is made for each request is Nest's to make.
    if (!wrapper.isDependencyTreeStatic()) return [];
    return [new PlainHandler(route, wrapper.instance, inputs, around)];
  });
}

/** The class that swagger's decorators name for the answer. */
function documentedType({ handler, successStatus }: Route): unknown {
  const responses = Reflect.getMetadata(nest.SWAGGER.response, handler) as
    Record<number, { type?: unknown }> | undefined;
  return responses?.[successStatus]?.type;
}

/** Undefined where one is given in another way. */
function inputsOf({ inputs }: Route): readonly Input[] | undefined {
  if (!inputs.every(isPlain)) return undefined;
  // Nest pipes several at the same time; which fault of theirs comes first is its to say.
  return inputs.filter(({ kind }) => kind !== 'param').length > 1 ? undefined : inputs;
}

function isPlain(input: HandlerArgument): input is Input {
  const { kind, data, isPiped, pipes } = input;
  const isId = pipes.length === 1 && pipes[0] instanceof ParseIdPipe;
  const isWhole = kind === 'param' || ((kind === 'body' || kind === 'query') && data === undefined);
  return isWhole && (!isPiped || isId);
}

/** What the platform's guards see of a request: a part of Nest's `ExecutionContext`, which makes closures for each guard that looks. */
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
