/**
 * Runs the built service for long at half of its capacity, on its own MariaDB, and checks whether it ages: the heap
 * after garbage collection, the resident memory, the file descriptors, the slowest answers. Then sends three times its
 * capacity, and measures how many requests it still serves. Writes the table to docs/operating/incidents.md, except
 * with `--quick`. Exit code 1 if a limit is exceeded.
 *
 *   npm run check -- soak [--minutes 30] [--overload-seconds 60] [--quick]
 */
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import mysql from 'mysql2/promise';
import { table } from '../bench/report.ts';
import { spreadOf } from '../bench/statistics.ts';
import { writeBlock } from '../bench/written.ts';
import { builtProgram, emptyFolder, programEnvironment, runCommand } from '../test/support/command.ts';
import { MariaDb } from '../test/support/mariadb.ts';
import { freePort } from '../test/support/ports.ts';
import { openDescriptors, residentBytes } from '../test/support/process-size.ts';
import { spawnTethered } from '../test/support/tethered.ts';
import { untilReady } from '../test/support/until-ready.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    'overload-seconds': { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes ?? (values.quick ? 1 : 30));
const overloadSeconds = Number(values['overload-seconds'] ?? (values.quick ? 10 : 60));
const SAMPLE_MS = 10_000;
const CONNECTIONS = 20;
const MIB = 1024 ** 2;

/** What must be stopped at the end, in reverse order. */
const started = new AsyncDisposableStack();
let database, service, key;
try {
  const server = await MariaDb.start();
  started.defer(() => server.stop());
  const admin = await mysql.createConnection(server.adminUrl());
  started.defer(() => admin.end());
  await admin.query('CREATE DATABASE store_soak');
  database = { url: server.url('store_soak') };
  service = await startService();
  key = (await runCommand(database, ['keys', 'create', '--name', 'soak'])).stdout.trim();
  const { failures, text } = await judge();
  process.stdout.write(`\n${text}`);
  if (!values.quick) writeBlock('soak', text, 'operating/incidents.md');
  if (failures.length > 0) process.stderr.write(`\nBroken: ${failures.join(', ')}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  await started.disposeAsync();
}

async function judge() {
  await load({ duration: 5 });
  const capacity = (await load({ duration: 10 })).requests.average;
  const rate = Math.max(1, Math.round(capacity / 2));
  const samples = await soak(rate);
  const peak = await goodput({ duration: 5 });
  const over = await goodput({ duration: overloadSeconds, overallRate: Math.round(capacity * 3), connections: 300 });

  const [first, last] = [samples[0], samples.at(-1)];
  const window = Math.min(5 * 60_000, (minutes * 60_000) / 3);
  const { median: early } = spreadOf(samples.filter(({ at }) => at <= window).map(({ p99 }) => p99));
  const { median: late } = spreadOf(samples.filter(({ at }) => at >= last.at - window).map(({ p99 }) => p99));
  // In the first third, caches and the compiler reach a steady state.
  const settled = samples.filter(({ at }) => at >= Math.min(10 * 60_000, (minutes * 60_000) / 3));
  const heapFrom = settled[0].heap;
  const rows = [
    ['heap after collection grows by', percent(last.heap / heapFrom - 1), '5 %', last.heap / heapFrom <= 1.05],
    ['resident memory, per minute', `${slope(settled).toFixed(2)} MiB`, '0.5 MiB', slope(settled) <= 0.5],
    [
      'file descriptors',
      `${settled[0].descriptors} → ${last.descriptors}`,
      '± 5',
      Math.abs(last.descriptors - settled[0].descriptors) <= 5,
    ],
    ['p99, last against first', `${late} ms, ${early} ms`, '× 1.2', late <= early * 1.2],
    ['answers that were no 2xx', String(last.failed), '0', last.failed === 0],
    ['goodput at three times capacity', percent(over / peak), '80 % or more', over / peak >= 0.8],
  ];
  const mib = (bytes, digits = 0) => (bytes / MIB).toFixed(digits);
  const summary = [
    `${minutes} minutes at ${rate} requests a second, half of ${Math.round(capacity)}: ${last.answered} answers.`,
    `Resident memory went from ${mib(first.rss)} to ${mib(last.rss)} MiB, the heap from ${mib(heapFrom, 1)} to ${mib(last.heap, 1)}.`,
  ];
  const cells = rows.map(([what, is, limit, holds]) => [what, is, limit, holds ? '✓' : '✗']);
  const text = `${summary.join('\n')}\n\n${table(['What', 'Is', 'May be', ''], cells)}`;
  return { text, failures: rows.filter(([, , , holds]) => !holds).map(([what]) => what) };
}

/** Takes a sample every 10 seconds. */
async function soak(rate) {
  const samples = [];
  const begun = performance.now();
  let [answered, failed] = [0, 0];
  for (let at = 0; at < minutes * 60_000; at = performance.now() - begun) {
    const { latency, non2xx, errors, ...result } = await load({ duration: SAMPLE_MS / 1000, overallRate: rate });
    answered += result['2xx'];
    failed += non2xx + errors;
    samples.push({ at, p99: latency.p99, answered, failed, ...(await sizes()) });
    progress(at / (minutes * 60_000), samples.at(-1));
  }
  return samples;
}

function load(options) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Lumi', categoryId: 1 });
  return autocannon({
    url: service.url,
    connections: CONNECTIONS,
    headers,
    requests: [
      ...Array.from({ length: 9 }, () => ({ method: 'GET', path: '/v1/pets?limit=20' })),
      { method: 'POST', path: '/v1/pets', body },
    ],
    ...options,
  });
}

async function goodput(options) {
  return (await load(options))['2xx'] / options.duration;
}

/** The memory and descriptors of the process. Its heap is measured after a garbage collection by the inspector. */
async function sizes() {
  const { pid } = service.child;
  const heap = await heapAfterCollection();
  return { heap, rss: residentBytes(pid), descriptors: openDescriptors(pid) };
}

async function heapAfterCollection() {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`${service.inspector}/json`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const ask = (id, method) =>
    new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => JSON.parse(data).id === id && resolve(JSON.parse(data).result));
      socket.send(JSON.stringify({ id, method }));
    });
  await ask(1, 'HeapProfiler.collectGarbage');
  const { usedSize } = await ask(2, 'Runtime.getHeapUsage');
  socket.close();
  return usedSize;
}

async function startService() {
  const [port, managementPort, inspectorPort] = [await freePort(), await freePort(), await freePort()];
  const child = spawnTethered(process.execPath, [`--inspect=127.0.0.1:${inspectorPort}`, builtProgram('main.js')], {
    cwd: emptyFolder,
    env: programEnvironment(database.url, {
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      RATE_LIMIT_PER_MINUTE: '0',
      SHED_LOOP_DELAY_MS: '150',
    }),
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  started.defer(() => child.kill('SIGTERM'));
  const ready = () =>
    fetch(`http://127.0.0.1:${managementPort}/readyz`, { signal: AbortSignal.timeout(SAMPLE_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await untilReady(child, ready);
  return { child, url: `http://127.0.0.1:${port}`, inspector: `http://127.0.0.1:${inspectorPort}` };
}

/** MiB per minute, by least squares. */
function slope(samples) {
  const points = samples.map(({ at, rss }) => [at / 60_000, rss / MIB]);
  const mean = (index) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

function percent(ratio) {
  return `${(ratio * 100).toFixed(1)} %`;
}

function progress(share, { p99, rss, heap, failed }) {
  const text = `${Math.round(share * 100)} %, p99 ${p99} ms, resident ${Math.round(rss / MIB)} MiB, heap ${(heap / MIB).toFixed(1)} MiB, failed ${failed}`;
  if (!process.stdout.isTTY) return process.stdout.write(`${text}\n`);
  const bar = '#'.repeat(Math.round(share * 30)).padEnd(30, '.');
  process.stdout.write(`\r[${bar}] ${text}\u001b[K`);
}
