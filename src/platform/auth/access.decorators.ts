import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { currentExchange, exchangeOf, type Principal } from '../http/index.js';
import { declareRoute, traitsOf } from '../routing/index.js';
import { EVERYTHING, isScope } from './key-terms.js';

/** Lets a handler accept requests without a key. All other handlers need a key. */
export const Public = (): MethodDecorator => declareAccess({ open: true, scopes: [] });

/**
 * Requires a key with all of these scopes. A key with `*` has every scope.
 *
 * @throws {TypeError} for a text that is not a scope such as `pets:read`.
 */
export function RequireScope(...scopes: [string, ...string[]]): MethodDecorator {
  const malformed = scopes.find((scope) => !isScope(scope));
  if (malformed !== undefined) throw new TypeError(`'${malformed}' is not a scope such as pets:read`);
  return declareAccess({ open: false, scopes });
}

/** Whether the scopes of a key include those that a route needs. */
export function covers(granted: readonly string[], needed: readonly string[]): boolean {
  return needed.every((scope) => granted.includes(scope)) || granted.includes(EVERYTHING);
}

function declareAccess(access: { open: boolean; scopes: readonly string[] }): MethodDecorator {
  return (target, name, descriptor: PropertyDescriptor) => {
    // A second decorator adds to the first and never weakens it.
    const before = traitsOf(descriptor.value as object);
    const open = access.open || before.open === true;
    const scopes = [...new Set([...(before.scopes ?? []), ...access.scopes])];
    if (open && scopes.length > 0) throw new TypeError(`${String(name)} is @Public and yet needs a scope`);
    declareRoute({ open, scopes })(target, name, descriptor);
  };
}

/** The client that sent the request. */
export interface Client {
  /** The name given at `keys create --name NAME`. Several keys may belong to one client. */
  readonly name: string;
  /** The public id of the key, 8 characters. Safe to log. */
  readonly keyId: string;
  /** The scopes of the key; `*` grants everything. */
  readonly scopes: readonly string[];
}

/** Passes the `Client` of the request to a handler parameter; undefined on a `@Public()` handler. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client | undefined =>
  clientOf(exchangeOf(context.switchToHttp().getRequest<object>()).principal),
);

/** The client of the current request, for services and subscribers. Inject it. */
@Injectable()
export class ClientContext {
  /** Undefined outside a request, and for a request without a key. */
  get client(): Client | undefined {
    return clientOf(currentExchange()?.principal);
  }

  /** Whether the client has all of these scopes. */
  may(...scopes: readonly string[]): boolean {
    const { client } = this;
    return client !== undefined && covers(client.scopes, scopes);
  }
}

function clientOf(principal: Principal | undefined): Client | undefined {
  return principal && { name: principal.client, keyId: principal.keyId, scopes: principal.scopes };
}
