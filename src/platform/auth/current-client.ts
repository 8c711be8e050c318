import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { currentExchange, exchangeOf, type Principal } from '../http/index.js';
import { covers } from './access.decorators.js';

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
  /** Of the request that the running code works for; undefined outside of one, and where it came without a key. */
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
