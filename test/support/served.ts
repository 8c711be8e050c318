import { afterAll, beforeAll } from '@jest/globals';
import { storeKey } from './api-keys.js';
import type { Environment } from './command.js';
import type { TestDatabase } from './database.js';
import type { Engine } from './engines.js';
import { HttpClient } from './http.js';
import { exchangeRaw, RawConnection, type RawResponse } from './raw-http.js';
import { Service } from './service.js';

/** Milliseconds. More than a service and its commands need to start, one after another. */
export const SET_UP_LIMIT_MS = 60_000;

export interface RawRequest {
  /** Whole header lines, before those that every request gets. */
  readonly headers?: readonly string[];
  /** Sent as JSON with its length, unless `headers` set the type or the length. */
  readonly body?: string | Uint8Array;
  /** The key of the request. Default: the key of the suite; null for none. */
  readonly key?: string | null;
}

/** A service on an empty database, with its clients. The fields are set once the suite's tests run. */
export interface Served {
  readonly database: TestDatabase;
  readonly service: Service;
  /** A key with all scopes. */
  readonly key: string;
  /** A client that sends the key. */
  readonly client: HttpClient;
  /** A client that sends no key. */
  readonly stranger: HttpClient;
  /** Sends one request on a new connection, its target unchanged: `GET /v1/pets`. */
  send(request: string, options?: RawRequest): Promise<RawResponse>;
  /** The bytes of such a request. */
  bytes(request: string, options?: RawRequest): Buffer;
  /** A new connection. */
  connect(): Promise<RawConnection>;
  countPets(): Promise<bigint>;
}

class ServedStore implements Served {
  database!: TestDatabase;
  service!: Service;
  key!: string;
  client!: HttpClient;
  stranger!: HttpClient;

  send(request: string, options?: RawRequest): Promise<RawResponse> {
    return exchangeRaw(this.service.url, this.bytes(request, options));
  }

  bytes(request: string, { headers = [], body, key = this.key }: RawRequest = {}): Buffer {
    const says = (name: string): boolean => headers.some((line) => line.toLowerCase().startsWith(`${name}:`));
    const lines = [`${request} HTTP/1.1`];
    if (!says('host')) lines.push('Host: pets.test');
    if (key !== null && !says('authorization')) lines.push(`Authorization: Bearer ${key}`);
    if (body !== undefined && !says('content-type')) lines.push('Content-Type: application/json');
    if (body !== undefined && !says('content-length') && !says('transfer-encoding')) {
      lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    }
    return Buffer.concat([Buffer.from(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`), Buffer.from(body ?? '')]);
  }

  connect(): Promise<RawConnection> {
    return RawConnection.open(this.service.url);
  }

  async countPets(): Promise<bigint> {
    const [row] = await this.database.query('SELECT COUNT(*) AS many FROM pet');
    return row?.['many'] as bigint;
  }
}

/** Before the tests of the calling suite, starts a service on a new database. Stops it after them. */
export function serveOn(engine: Engine, env: Environment = {}): Served {
  const served = new ServedStore();
  beforeAll(async () => {
    served.database = await engine.createDatabase();
    served.service = await Service.start({ database: served.database, env });
    served.key = await storeKey(served.database);
    served.client = new HttpClient(served.service.url, served.key);
    served.stranger = new HttpClient(served.service.url);
  }, SET_UP_LIMIT_MS);
  afterAll(async () => {
    await served.service.stop();
    await served.database.drop();
  });
  return served;
}
