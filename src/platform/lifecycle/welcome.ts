import { ApiKeyStore, createFirstKey } from '../auth/index.js';
import { CONFIG, type Config } from '../config/index.js';
import { flushLog } from '../logging/index.js';
import type { Application } from './application.js';

/** In development, tells whoever starts the service how to use it, with a first API key where there is none. */
export async function welcome(application: Application): Promise<void> {
  const config = application.nest.get<Config>(CONFIG);
  if (config.env !== 'development') return;
  const key = await createFirstKey(application.nest.get(ApiKeyStore));
  // So that what the log says of the start stands above it.
  await flushLog(application.log);
  process.stdout.write(words(application.url, key));
}

function words(url: string, key: string | undefined): string {
  const make = '  Make an API key with:  node dist/main.js keys create --name you';
  const tryIt = [
    `  Your first API key, shown only now:  ${key}`,
    '',
    '  Make a pet with it:',
    `  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7}' ${url}/v1/pets`,
  ];
  const lines = ['', '  Animal Store', '', ...(key === undefined ? [make] : tryIt), ''];
  return `${[...lines, `  OpenAPI      ${url}/openapi.json`, `  Swagger UI   ${url}/docs`, ''].join('\n')}\n`;
}
