/**
 * Runs one of the checks that take too long, or need too much, for `npm test`. Without a name it lists them.
 *
 *   npm run check -- NAME [ARGUMENT …]
 */
import { runByName } from './run-by-name.mjs';

runByName('check', {
  chart: { meaning: 'the chart: packaged, signed and verified' },
  clients: { meaning: 'clients by several generators: generated, compiled and run', needsBuild: true },
  faults: { meaning: 'the fault tests with outages of a minute and many rounds' },
  'keep-alive': { meaning: 'an hour of requests through nginx', needsBuild: true },
  'key-timing': { meaning: 'whether the time of a refusal reveals what was right about a key', needsBuild: true },
  manifests: { meaning: 'the manifests for a cluster: current, valid and linted', script: 'manifests.mjs' },
  mariadb: {
    meaning: 'the tests of the contract and of faults on MariaDB 11.8',
    script: 'check-database.mjs',
    args: ['mariadb'],
  },
  mutants: { meaning: 'careless changes of the sources, and whether a test notices them', needsBuild: true },
  mysql: {
    meaning: 'the tests of the contract and of faults on MySQL',
    script: 'check-database.mjs',
    args: ['mysql'],
  },
  patterns: { meaning: 'the patterns of openapi.json in Python, PHP, Go and Java' },
  schemathesis: { meaning: 'thousands of generated requests', needsBuild: true },
  soak: { meaning: 'half an hour of load, and whether the process ages', script: 'soak.mjs', needsBuild: true },
  vitess: { meaning: 'the tests of the contract on Vitess', script: 'check-database.mjs', args: ['vitess'] },
  watch: { meaning: 'how long npm run start:dev takes from an edit to the answer' },
});
