import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const STEPS = [['scripts/build.mjs', '--unless-built'], ['scripts/setup-test-machine.mjs']];

/**
 * Once a run, before any test that needs the built service: builds it, and installs what the tests start. Unit tests need
 * neither, so a run of them alone begins at once.
 *
 * @throws {Error} where one of them fails; it has said why.
 */
export default function setUp(): void {
  for (const [script = '', ...options] of STEPS) {
    const { status } = spawnSync(process.execPath, [script, ...options], { cwd: PROJECT, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${script} failed`);
  }
}
