/**
 * Measures how long `npm run start:dev` takes from an edit to the answer: in a copy of the project, it edits an error
 * code that the document shows. `npm run check -- watch [EDITS]` prints the least, the median and the most.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/ports.ts';
import { copyProject, STARTED_BY_NEST } from '../test/support/project-copy.ts';

const EDITED = 'src/pets/pets.errors.ts';
const POLL_MS = 20;
const LIMIT_MS = 300_000;

const project = fileURLToPath(new URL('..', import.meta.url));
const edits = Number(process.argv[2] ?? 3);
const copy = mkdtempSync(join(tmpdir(), 'animal-store-watch-'));
copyProject(copy, STARTED_BY_NEST);

const [port, managementPort] = [await freePort(), await freePort()];
const nest = spawn(process.execPath, [join(project, 'node_modules/@nestjs/cli/bin/nest.js'), 'start', '--watch'], {
  cwd: copy,
  // It leads its own process group, so that all that it started ends with it.
  detached: true,
  stdio: 'ignore',
  env: {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    NODE_ENV: 'development',
    DATABASE_URL: 'sqlite::memory:',
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
  },
});
try {
  await untilServed('pet_not_found');
  const times = [];
  for (let edit = 1; edit <= edits; edit++) {
    const file = join(copy, EDITED);
    const code = `pet_not_seen_${edit}`;
    const text = readFileSync(file, 'utf8').replace(/'pet_not_\w+'/, `'${code}'`);
    const begun = performance.now();
    writeFileSync(file, text);
    await untilServed(code);
    times.push((performance.now() - begun) / 1000);
  }
  times.sort((a, b) => a - b);
  const [least, median, most] = [times[0], times[times.length >> 1], times.at(-1)].map((seconds) => seconds.toFixed(1));
  console.log(`From an edit to the answer: ${median} s (${least}–${most}), the median of ${edits}`);
} finally {
  process.kill(-nest.pid, 'SIGKILL');
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
}

/** Resolves once the document contains a code. */
async function untilServed(code) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await sleep(POLL_MS)) {
    const text = await fetch(`http://127.0.0.1:${port}/openapi.json`).then(
      (answer) => answer.text(),
      () => '',
    );
    if (text.includes(`"${code}"`)) return;
  }
  throw new Error(`The document does not have ${code}`);
}
