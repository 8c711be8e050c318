import { afterAll, beforeAll } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { storeKey } from './api-keys.js';
import type { TestDatabase } from './database.js';
import { createSqliteDatabase } from './database.js';
import { hosting, type Hosting } from './hosting.js';
import { HttpClient, type Answer, type RequestOptions } from './http.js';
import { Service } from './service.js';
import { SET_UP_LIMIT_MS } from './served.js';

/** The same modules run twice: in a plain Nest application, and as features of the service. */
export interface Twins {
  readonly plain: HttpClient;
  readonly featured: HttpClient;
  readonly service: Service;
  readonly key: string;
  /** Sends one request to both. */
  both(method: string, path: string, options?: RequestOptions): Promise<{ plain: Answer; featured: Answer }>;
}

export interface TwinOptions extends Hosting {
  /** The file that exports `ordinaryModules`, as a path relative to test/support/. */
  readonly modules: string;
  readonly createDatabase?: () => Promise<TestDatabase>;
}

class RunningTwins implements Twins {
  plain!: HttpClient;
  featured!: HttpClient;
  service!: Service;
  key!: string;

  async both(method: string, path: string, options?: RequestOptions) {
    return {
      plain: await this.plain.request(method, path, options),
      featured: await this.featured.request(method, path, options),
    };
  }
}

/** Starts both before the tests of the calling file; both end with the file. */
export function startTwins({ modules, createDatabase = createSqliteDatabase, ...options }: TwinOptions): Twins {
  const databases: TestDatabase[] = [];
  const twins = new RunningTwins();
  beforeAll(async () => {
    databases.push(await createDatabase(), await createDatabase());
    const [own, others] = databases as [TestDatabase, TestDatabase];
    const plainProgram = fileURLToPath(new URL('plain-host.mjs', import.meta.url));
    const plain = await Service.start({
      database: others,
      program: plainProgram,
      env: { ...options.env, PLAIN_MODULES: modules, CHANGED_LINES: undefined },
    });
    twins.service = await Service.start({ database: own, ...hosting(options) });
    twins.key = await storeKey(own);
    twins.plain = new HttpClient(plain.url);
    twins.featured = new HttpClient(twins.service.url, twins.key);
  }, SET_UP_LIMIT_MS);
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });
  return twins;
}
