import { ApiKeyStore, createFirstKey } from '../auth/index.js';
import { CONFIG, type Config } from '../config/index.js';
import { stringifyJson } from '../json/index.js';
import { flushLog } from '../logging/index.js';
import { documentedProperties } from '../nest-internals.js';
import { RouteTable, type Route } from '../routing/index.js';
import type { Application } from './application.js';

/** In development, prints how to use the service. Creates and prints a first API key if there is none. */
export async function welcome(application: Application): Promise<void> {
  const config = application.nest.get<Config>(CONFIG);
  if (config.env !== 'development') return;
  const key = await createFirstKey(application.nest.get(ApiKeyStore));
  // The log lines of the start must be printed first.
  await flushLog(application.log);
  process.stdout.write(words(application.url, key, application.nest.get(RouteTable).all()));
}

function words(url: string, key: string | undefined, routes: readonly Route[]): string {
  const make = '  Make an API key with:  node dist/main.js keys create --name you';
  const first = ['  Your first API key, shown only now:', `  ${key}`, ...firstRequest(url, key, routes)];
  const lines = ['', '  Animal Store', '', ...(key === undefined ? [make] : first), ''];
  return `${[...lines, `  OpenAPI      ${url}/openapi.json`, `  Swagger UI   ${url}/docs`, ''].join('\n')}\n`;
}

/**
 * A curl command for the first operation that creates something, with the examples of its body from the OpenAPI
 * document.
 */
function firstRequest(url: string, key: string | undefined, routes: readonly Route[]): string[] {
  const route = routes.find(({ method, bodyType, path }) => method === 'POST' && bodyType && !path.includes('{'));
  if (route?.bodyType === undefined) return [];
  const body = Object.fromEntries(
    documentedProperties<Field>(route.bodyType).flatMap(([name, field]) =>
      field.required === false ? [] : [[name, field.example]],
    ),
  );
  // A key has 55 characters. No line is wider than 80 columns, unless the example of the body is long.
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
