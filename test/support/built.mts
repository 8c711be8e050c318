import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const STEPS = [['scripts/build.mjs', '--unless-built'], ['scripts/setup-test-machine.mjs']];

/**
 * Builds the service and installs what the tests start: once a run, before any black-box test. Unit tests need neither.
 *
 * @throws {Error} if one of the two fails; its output says why.
 */
export default function setUp(): void {
  for (const [script = '', ...options] of STEPS) {
    const { status } = spawnSync(process.execPath, [script, ...options], { cwd: PROJECT, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${script} failed`);
  }
}
