/**
 * Installs Debian packages that the tests need and npm cannot install, if this user may. Otherwise it lists what is
 * missing and exits with 1. With ALLOW_SKIP=1 it lists the tests that will be skipped and exits with 0.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from '../test/support/programs.ts';

/** One row per package: the programs, any one of which is enough, and what needs it. */
const NEEDS = [
  {
    package: 'mariadb-server',
    programs: ['mariadbd', 'mysqld'],
    for: 'all tests on MySQL',
    unless: 'TEST_DATABASE_URL',
  },
  { package: 'mariadb-client', programs: ['mariadb-dump'], for: 'the tests of backups' },
  { package: 'curl', programs: ['curl'], for: 'the examples in the documents' },
  { package: 'chromium', programs: ['chromium', 'chromium-browser', 'google-chrome'], for: 'test/browser' },
  { package: 'redis-server', programs: ['redis-server'], for: 'the tests of rate limits shared by replicas' },
  { package: 'haproxy', programs: ['haproxy'], for: 'the tests of rolling restarts in test/faults' },
  { package: 'openssl', programs: ['openssl'], for: 'the tests of TLS to the database' },
  { package: 'faketime', programs: ['faketime'], for: 'the tests of a clock that jumps' },
  { package: 'prometheus', programs: ['promtool'], for: 'the tests of metrics and alerts' },
  { package: 'wrk', programs: ['wrk'], for: 'the load of npm run bench' },
  { package: 'util-linux', programs: ['prlimit'], for: 'the tests of a process without file descriptors' },
  { package: 'util-linux', programs: ['fallocate'], for: 'the tests of a full disk' },
  { package: 'util-linux', programs: ['unshare'], for: 'the tests of the image, started without an engine' },
];

/** Debian asks this script whether a package may start its service. Exit code 101 means no. */
const POLICY = '/usr/sbin/policy-rc.d';

const missing = NEEDS.filter((need) => !process.env[need.unless ?? ''] && findProgram(...need.programs) === undefined);
if (missing.length > 0) process.exitCode = provide(missing);

function provide(needs) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (process.env.ALLOW_SKIP === '1') return report('Missing, so their tests are skipped (ALLOW_SKIP=1)', needs, 0);
  if (findProgram('apt-get') === undefined) return report('Please install', needs, 1);
  if (sudo.length > 0 && !run([...sudo, 'true'], 'ignore')) {
    return report(`Please run: sudo apt-get install ${names(needs)}`, needs, 1);
  }
  report('Installing what the tests need', needs, 0);
  install(sudo, needs);
  const still = needs.filter((need) => findProgram(...need.programs) === undefined);
  return still.length === 0 ? 0 : report(`apt-get could not install ${names(still)}; please install them`, still, 1);
}

function install(sudo, needs) {
  const apt = [
    ...sudo,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-y',
    '-q',
    '-o',
    'DPkg::Lock::Timeout=300',
  ];
  // An interrupted apt-get ends by itself. This process continues until it has cleaned up.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  const restore = forbidServices(sudo);
  try {
    run([...apt, 'update'], 'inherit');
    run([...apt, 'install', '--no-install-recommends', ...needs.map((need) => need.package)], 'inherit');
  } finally {
    restore();
  }
}

/** The tests start their own servers, so Debian must not start the service of a package that it installs. */
function forbidServices(sudo) {
  if (existsSync(POLICY)) return () => undefined;
  const script = '#!/bin/sh\nexit 101\n';
  if (sudo.length > 0) {
    spawnSync('sudo', ['-n', 'sh', '-c', `printf '${script}' > ${POLICY} && chmod 755 ${POLICY}`]);
    return () => spawnSync('sudo', ['-n', 'rm', '-f', POLICY]);
  }
  writeFileSync(POLICY, script, { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}

function run([command, ...args], stdio) {
  return spawnSync(command, args, { stdio: ['ignore', stdio, stdio] }).status === 0;
}

function names(needs) {
  return needs.map((need) => need.package).join(' ');
}

function report(headline, needs, code) {
  console.error(`${headline}:`);
  for (const need of needs) console.error(`  ${need.package} (${need.programs.join(' or ')}): ${need.for}`);
  return code;
}
