import autocannon, { type Result } from 'autocannon';
import type { RowDataPacket } from 'mysql2/promise';
import type { BenchDatabase } from './bench-database.ts';
import { cpuMicrosOf, residentMiBOf } from './process-usage.ts';
import { randomFrom, type Scenario } from './scenarios.ts';
import type { RunningService } from './services.ts';

export const CONNECTIONS = 32;

/** What one service did under one kind of request. */
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the service's process for a request. */
  readonly cpuMicros: number;
  /** CPU time of the database server for a request. */
  readonly databaseMicros: number;
  /** Statements that the database server ran for a request. */
  readonly queries: number;
  readonly residentMiB: number;
}

/**
 * Drives a service for `seconds`, every connection with requests of its own.
 *
 * @throws {Error} when an answer was not a 2xx.
 */
export async function measure(
  service: RunningService,
  scenario: Scenario,
  database: BenchDatabase,
  seconds: number,
): Promise<Sample> {
  const before = await standOf(service, database);
  const result = await drive(service, scenario, database.pets, seconds);
  const after = await standOf(service, database);
  const requests = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0 || requests === 0) {
    const counts = JSON.stringify({ ok: requests, errors: result.errors, statuses: result.statusCodeStats });
    throw new Error(`${service.program.title}, ${scenario.title}: ${counts}`);
  }
  return {
    perSecond: requests / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMicros: (after.cpu - before.cpu) / requests,
    databaseMicros: (after.databaseCpu - before.databaseCpu) / requests,
    queries: (after.queries - before.queries) / requests,
    residentMiB: residentMiBOf(service.pid),
  };
}

/** The same without a look at what comes of it: a service that just started may refuse what it will do soon. */
export async function drive(
  service: RunningService,
  scenario: Scenario,
  pets: number,
  seconds: number,
): Promise<Result> {
  let connections = 0;
  return autocannon({
    url: service.origin,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient: (client) => {
      const connection = connections++;
      const headers = service.headersOf(connection);
      const requests = scenario.requests(service, pets, randomFrom(connection));
      client.setRequests(requests.map((request) => ({ ...request, headers: { ...headers, ...request.headers } })));
    },
  });
}

async function standOf(service: RunningService, { admin, server }: BenchDatabase) {
  const [rows] = await admin.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
  const queries = Number(rows[0]?.['Value']);
  return { cpu: cpuMicrosOf(service.pid), databaseCpu: cpuMicrosOf(server.pid), queries };
}
