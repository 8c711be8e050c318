import { ApiKeyStore, createFirstKey } from '../auth/index.js';
import { CONFIG, type Config } from '../config/index.js';
import type { Application } from './application.js';

/** In development, tells whoever starts the service how to use it, with a first API key where there is none. */
export async function welcome(application: Application): Promise<void> {
  const config = application.nest.get<Config>(CONFIG);
  if (config.env !== 'development') return;
  const key = await createFirstKey(application.nest.get(ApiKeyStore));
  process.stdout.write(words(application.url, key));
}

function words(url: string, key: string | undefined): string {
  const lines = ['', '  Animal Store', `  Swagger UI   ${url}/docs`, `  OpenAPI      ${url}/openapi.json`, ''];
  if (key === undefined) {
    lines.push('  Make an API key with:  node dist/main.js keys create --name you', '');
  } else {
    lines.push(
      `  Your first API key, shown only now:  ${key}`,
      '',
      '  Try it:',
      `  curl -H 'Authorization: Bearer ${key}' ${url}/v1/pets`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
