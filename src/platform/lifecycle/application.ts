import type { INestApplication } from '@nestjs/common';
import { type Log, flushLog } from '../logging/index.js';
import { ApiKeyStore, createFirstKey } from '../auth/index.js';
import { CONFIG, type Config } from '../config/index.js';
import { stringifyJson } from '../json/index.js';
import { documentedProperties } from '../nest-internals.js';
import { RouteTable, type Route } from '../routing/index.js';

/** An application that can be started and stopped. */
export interface Application {
  /** Where the API listens, e.g. `http://127.0.0.1:3000`; known once started. */
  readonly url: string;
  /** Where probes and metrics are; known once started. */
  readonly managementUrl: string;
  /** Nest's own application, e.g. to get a provider from. */
  readonly nest: INestApplication;
  readonly log: Log;

  /**
   * Listens, and begins to bring the database up. Probes say when it is ready; `ready` waits for it.
   *
   * @throws {ListenError} where a port or an address may not be had.
   */
  start(): Promise<void>;

  /**
   * Resolves once the first check found everything in order; before `start` at once, and never after `stop`.
   *
   * @throws {TypeORMError} (rejects) for an entity or a migration that no database could take, which may come as the cause
   *   of a {MigrationError}.
   */
  ready(): Promise<void>;

  /**
   * Stops without losing a request: not ready any more, `Connection: close` on what is answered, then no new
   * connections, then the features' shutdown hooks, the database last. Asked again, it is the same stop.
   *
   * @param times those of the configuration where they are left out.
   * @returns false when requests, hooks or the database did not end in time.
   */
  stop(times?: StopTimes): Promise<boolean>;
}

/** How long the steps of a stop may take. */
export interface StopTimes {
  /** Milliseconds to go on serving, so that balancers see that this replica is not ready any more. */
  readonly delayMs: number;
  /** Milliseconds that requests have to finish after that. */
  readonly timeoutMs: number;
  /** Milliseconds that hooks and the database have at least, however long requests took. */
  readonly closeMs: number;
}

/** In development, prints how to use the service, with a first API key where there is none. */
export async function welcome(application: Application): Promise<void> {
  const config = application.nest.get<Config>(CONFIG);
  if (config.env !== 'development') return;
  const key = await createFirstKey(application.nest.get(ApiKeyStore));
  // The log of the start is printed above it.
  await flushLog(application.log);
  process.stdout.write(words(application.url, key, application.nest.get(RouteTable).all()));
}

function words(url: string, key: string | undefined, routes: readonly Route[]): string {
  const make = '  Make an API key with:  node dist/main.js keys create --name you';
  const first = ['  Your first API key, shown only now:', `  ${key}`, ...firstRequest(url, key, routes)];
  const lines = ['', '  Animal Store', '', ...(key === undefined ? [make] : first), ''];
  return `${[...lines, `  OpenAPI      ${url}/openapi.json`, `  Swagger UI   ${url}/docs`, ''].join('\n')}\n`;
}

/** The first operation that creates something, with the examples of its body as the document has them. */
function firstRequest(url: string, key: string | undefined, routes: readonly Route[]): string[] {
  const route = routes.find(({ method, bodyType, path }) => method === 'POST' && bodyType && !path.includes('{'));
  if (route?.bodyType === undefined) return [];
  const body = Object.fromEntries(
    documentedProperties<Field>(route.bodyType).flatMap(([name, field]) =>
      field.required === false ? [] : [[name, field.example]],
    ),
  );
  // No line is wider than a terminal of 80 columns, as far as the example of the body allows: a key has 55 characters.
  return [
    '',
    `  Try ${route.operationId} with it:`,
    `  curl --oauth2-bearer ${key} \\`,
    `    -H 'Content-Type: application/json' -d '${stringifyJson(body)}' \\`,
    `    ${url}${route.path}`,
  ];
}

interface Field {
  readonly required?: boolean;
  readonly example?: unknown;
}
