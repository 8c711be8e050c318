import type { RowDataPacket } from 'mysql2/promise';
import type { BenchDatabase } from './bench-database.ts';
import { cpuMicrosOf, residentMiBOf } from './process-usage.ts';
import { randomFrom, type Case, type Request } from './scenarios.ts';
import type { RunningService } from './services.ts';
import { wrk, type WrkResult } from './wrk.ts';

/** The figures of one service under one kind of request. */
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the service's process per request. */
  readonly cpuMicros: number;
  /** CPU time of the database server per request. */
  readonly databaseMicros: number;
  /** Statements of the database server per request. */
  readonly queries: number;
  readonly residentMiB: number;
}

/**
 * Sends requests to the processes of a service for `seconds`. Each process gets an equal part of the connections, and
 * each connection has its own requests. With several processes, the latencies are those of the slowest.
 *
 * @throws {Error} if more answers than expected were neither 2xx nor 3xx.
 */
export async function measure(
  services: readonly RunningService[],
  scenario: Case,
  database: BenchDatabase,
  seconds: number,
): Promise<Sample> {
  const before = await standOf(services, database);
  const results = await drive(services, scenario, database.pets, seconds);
  const after = await standOf(services, database);
  const all = (key: keyof WrkResult): number => results.reduce((sum, result) => sum + result[key], 0);
  const slowest = (key: keyof WrkResult): number => Math.max(...results.map((result) => result[key]));
  const [requests, refused, broken] = [all('requests'), all('refused'), all('broken')];
  // Refused requests are chosen at random, and a measurement may end anywhere among them.
  const mostRefused = 2 * (scenario.refused ?? 0) * requests + (scenario.refused === undefined ? 0 : 10);
  if (refused > mostRefused || broken > 0 || requests === 0) {
    throw new Error(
      `${services[0]?.program.title}, ${scenario.title}: ${JSON.stringify({ requests, refused, broken })}`,
    );
  }
  return {
    perSecond: (requests / slowest('micros')) * 1e6,
    p50Ms: slowest('p50Micros') / 1000,
    p99Ms: slowest('p99Micros') / 1000,
    cpuMicros: (after.cpu - before.cpu) / requests,
    databaseMicros: (after.databaseCpu - before.databaseCpu) / requests,
    queries: (after.queries - before.queries) / requests,
    residentMiB: services.reduce((sum, { pid }) => sum + residentMiBOf(pid), 0),
  };
}

/** Sends the requests without checking the answers: a service that has just started may still refuse some. */
export function drive(
  services: readonly RunningService[],
  scenario: Case,
  pets: number,
  seconds: number,
): Promise<WrkResult[]> {
  const connections = scenario.connections / services.length;
  return Promise.all(services.map((service) => driveOne(service, { ...scenario, connections }, pets, seconds)));
}

async function driveOne(service: RunningService, scenario: Case, pets: number, seconds: number): Promise<WrkResult> {
  const ofEach = Array.from({ length: scenario.connections }, (_, connection) => {
    const headers = service.headersOf(connection);
    const requests = scenario.requests(service, pets, randomFrom(connection));
    return requests.map((request) => onTheWire(service.origin, headers, request));
  });
  const [first = []] = ofEach;
  // Takes one request of each connection in turn.
  const requests = first.flatMap((_, index) => ofEach.map((own) => own[index] as string));
  return wrk(service.origin, requests, scenario.connections, seconds);
}

function onTheWire(origin: string, client: Readonly<Record<string, string>>, request: Request): string {
  const { method, path, headers, body = '' } = request;
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const all = Object.entries({ Host: new URL(origin).host, ...client, ...headers, ...length });
  return `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

async function standOf(services: readonly RunningService[], { admin, server }: BenchDatabase) {
  const [rows] = await admin.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
  const queries = Number(rows[0]?.['Value']);
  const cpu = services.reduce((sum, { pid }) => sum + cpuMicrosOf(pid), 0);
  return { cpu, databaseCpu: cpuMicrosOf(server.pid), queries };
}
