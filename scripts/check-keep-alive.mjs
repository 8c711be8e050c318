/**
 * Sends bursts of requests through nginx, which keeps idle connections to the service for 60 seconds. The pauses
 * between bursts are about 5 and about 60 seconds. Counts answers other than 2xx: if the service closed an idle
 * connection at the moment when the proxy uses it again, the client would get a 502. nginx does not retry here, and
 * half of the requests are POSTs. A run of an hour writes its figures to docs/operating/install.md. Exit code 1 if a
 * request failed.
 *
 *   npm run check -- keep-alive [--minutes 60]
 */
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { table } from '../bench/report.ts';
import { writeBlock } from '../bench/written.ts';
import { builtProgram, emptyFolder, programEnvironment, runCommand } from '../test/support/command.ts';
import { freePort } from '../test/support/ports.ts';
import { findProgram } from '../test/support/programs.ts';
import { scratchFolder } from '../test/support/scratch.ts';
import { spawnTethered } from '../test/support/tethered.ts';
import { untilReady } from '../test/support/until-ready.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
const BURST = 40;
/** Seconds between bursts, and the deviation: near the times for which nginx and the service keep idle connections. */
const PACES = [
  { seconds: 5, jitter: 0.5 },
  { seconds: 60, jitter: 1 },
  { seconds: 65, jitter: 1 },
];

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const nginx = findProgram('nginx');
if (nginx === undefined) throw new Error('nginx is not installed: apt-get install nginx-light');
const folder = scratchFolder('nginx');
const [port, ...ports] = await Promise.all([0, ...PACES].map(() => freePort()));
const database = { url: `sqlite:${join(folder, 'animal-store.sqlite')}` };
const env = programEnvironment(database.url, { PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' });
const service = spawnTethered(process.execPath, [builtProgram('main.js')], { cwd: emptyFolder, env, stdio: 'ignore' });
writeFileSync(join(folder, 'nginx.conf'), configuration());
await untilReady(service, () => answers(port));
const proxy = spawnTethered(nginx, ['-p', folder, '-c', 'nginx.conf'], { stdio: ['ignore', 'inherit', 'inherit'] });
await untilReady(proxy, () => answers(ports[0]));
try {
  const key = (await runCommand(database, ['keys', 'create', '--name', 'keep-alive'])).stdout.trim();
  const end = performance.now() + minutes * 60_000;
  const rows = await Promise.all(PACES.map((pace, index) => walk(pace, ports[index], key, end)));
  const cells = rows.map(({ seconds, sent, failed }) => [`${seconds} s`, String(sent), String(failed)]);
  const text = table(['Pause between uses', `Requests in ${minutes} minutes`, 'No 2xx'], cells);
  process.stdout.write(`\n${text}`);
  if (minutes >= 60) writeBlock('keep-alive', text, 'operating/install.md');
  process.exitCode = rows.some(({ failed }) => failed > 0) ? 1 : 0;
} finally {
  proxy.kill('SIGKILL');
  service.kill('SIGTERM');
  agent.destroy();
}

async function walk({ seconds, jitter }, at, key, end) {
  let [sent, failed] = [0, 0];
  while (performance.now() < end) {
    const statuses = await Promise.all(Array.from({ length: BURST }, (_, turn) => send(at, key, turn % 2 === 0)));
    sent += statuses.length;
    failed += statuses.filter((status) => status < 200 || status > 299).length;
    process.stdout.write(`every ${seconds} s: ${sent} sent, ${failed} failed\n`);
    await sleep((seconds + (Math.random() * 2 - 1) * jitter) * 1000);
  }
  return { seconds, sent, failed };
}

/** @returns the status; 0 if no answer came. */
function send(at, key, isPost) {
  const body = isPost ? JSON.stringify({ name: 'Rex', categoryId: 1 }) : '';
  const headers = { authorization: `Bearer ${key}`, ...(isPost && { 'content-type': 'application/json' }) };
  return new Promise((resolve) => {
    const path = '/v1/pets';
    const sent = request({ port: at, path, method: isPost ? 'POST' : 'GET', headers, agent }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', () => resolve(0)).end(body);
  });
}

async function answers(at) {
  return (await send(at, '', false)) === 401;
}

/** A frontend and a connection pool for each pace, so that no pace uses the connections of another. */
function configuration() {
  const pools = ports.map(
    (listen, index) => `
  upstream pool${index} { server 127.0.0.1:${port} max_fails=0; keepalive ${BURST}; keepalive_timeout 60s; }
  server {
    listen 127.0.0.1:${listen};
    keepalive_timeout 3600s;
    location / {
      proxy_pass http://pool${index};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream off;
    }
  }`,
  );
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr error;
events { worker_connections 1000; }
http { access_log off; ${paths.join(' ')} ${pools.join('')}
}
`;
}
