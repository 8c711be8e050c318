import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { currentExchange, exchangeOf, type Principal } from '../http/index.js';
import { declareRoute, traitsOf } from '../routing/index.js';
import { EVERYTHING, isScope } from './key-terms.js';

/** Opens a handler to requests without a key. A handler without this decorator is closed. */
export const Public = (): MethodDecorator => declareAccess({ open: true, scopes: [] });

/**
 * Closes a handler to keys that lack any of these scopes. A key with `*` has every scope.
 *
 * @throws {TypeError} for a text that is not a scope, such as `pets:read`.
 */
export function RequireScope(...scopes: [string, ...string[]]): MethodDecorator {
  const malformed = scopes.find((scope) => !isScope(scope));
  if (malformed !== undefined) throw new TypeError(`'${malformed}' is not a scope such as pets:read`);
  return declareAccess({ open: false, scopes });
}

/** Whether a key's scopes cover what a route needs. */
export function covers(granted: readonly string[], needed: readonly string[]): boolean {
  return needed.every((scope) => granted.includes(scope)) || granted.includes(EVERYTHING);
}

function declareAccess(access: { open: boolean; scopes: readonly string[] }): MethodDecorator {
  return (target, name, descriptor: PropertyDescriptor) => {
    // A second decorator must add to the first and never weaken it.
    const before = traitsOf(descriptor.value as object);
    const open = access.open || before.open === true;
    const scopes = [...new Set([...(before.scopes ?? []), ...access.scopes])];
    if (open && scopes.length > 0) throw new TypeError(`${String(name)} is @Public and yet needs a scope`);
    declareRoute({ open, scopes })(target, name, descriptor);
  };
}

/** Who is calling. */
export interface Client {
  /** What the key was made for: `keys create --name NAME`. Several keys may belong to one client. */
  readonly name: string;
  /** The key's public id, 8 characters; safe to log. */
  readonly keyId: string;
  /** What the key may do; `*` is everything. */
  readonly scopes: readonly string[];
}

/** Gives a handler the `Client` that calls it; undefined where a `@Public()` one is called. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client | undefined =>
  clientOf(exchangeOf(context.switchToHttp().getRequest<object>()).principal),
);

/** The client for code that no handler passes it to: a service, a subscriber. Inject it. */
@Injectable()
export class ClientContext {
  /** The client of the current request; undefined outside of a request, and for one without a key. */
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
