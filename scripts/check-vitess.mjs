/**
 * The tests of the contract on Vitess, which `vitess-server.mjs` starts. Arguments are handed on to Jest
 * (`npm run check -- vitess test/contract/list.spec.ts`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startVitess } from './vitess-server.mjs';

const given = process.argv.slice(2);
// Not what waits for LOCK TABLES, which Vitess passes over.
const locked = 'being written leaves neither|cannot be written is not said';
const tests = given.length > 0 ? given : ['test/contract/', '-t', `on mysql(?!.*(${locked}))`];
const vitess = await startVitess();
try {
  const child = spawn('npm', ['test', '--', ...tests], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: vitess.url },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await vitess.stop();
}
