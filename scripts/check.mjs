/**
 * Runs one of the checks that take too long, or need too much, for `npm test`; without a name it lists them.
 *
 *   npm run check -- NAME [ARGUMENT …]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CHECKS = {
  chart: { meaning: 'the chart, packaged, signed and verified' },
  clients: { meaning: 'generated clients, made, compiled and tried', needsBuild: true },
  faults: { meaning: 'faults with outages of a minute and many rounds' },
  'keep-alive': { meaning: 'an hour of requests through nginx', needsBuild: true },
  'key-timing': { meaning: 'whether the time of a refusal reveals what was right about a key', needsBuild: true },
  manifests: { meaning: 'the files for a cluster, linted', script: 'manifests.mjs' },
  mutants: { meaning: 'careless changes of the sources that no test notices', needsBuild: true },
  mysql: { meaning: 'the tests of the contract and of faults on MySQL' },
  patterns: { meaning: 'the patterns of openapi.json in Python, PHP, Go and Java' },
  schemathesis: { meaning: 'thousands of generated requests', needsBuild: true },
  vitess: { meaning: 'the tests of the contract on Vitess' },
};

const [name = '', ...rest] = process.argv.slice(2);
if (Object.hasOwn(CHECKS, name)) {
  const { needsBuild = false, script = `check-${name}.mjs` } = CHECKS[name];
  process.exitCode = (needsBuild && run('build.mjs', ['--unless-built'])) || run(script, rest);
} else {
  const list = Object.entries(CHECKS).map(([known, { meaning }]) => `  ${known.padEnd(14)}${meaning}\n`);
  const complaint = name === '' ? '' : `There is no check '${name}'.\n\n`;
  (name === '' ? process.stdout : process.stderr).write(
    `${complaint}npm run check -- NAME, for one of these; CONTRIBUTING.md says more:\n\n${list.join('')}`,
  );
  process.exitCode = name === '' ? 0 : 1;
}

function run(script, args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawnSync(process.execPath, [path, ...args], { stdio: 'inherit' }).status ?? 1;
}
