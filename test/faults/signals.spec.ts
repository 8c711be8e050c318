import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtProgram, programEnvironment } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { oldNode } from '../support/old-node.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const run = promisify(execFile);
const folder = scratchFolder('signals');
const ENDED = { code: 0, signal: null };
const SIGTERM_BIT = 1n << 14n;

let database: TestDatabase;

beforeAll(async () => {
  database = await createSqliteDatabase();
});

afterAll(async () => {
  await database.drop();
  removeScratch(folder);
});

/** Writes a script that `Service` can start in place of Node. */
function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

describe('a signal during the start', () => {
  it('is heard before anything but the first files is loaded', async () => {
    const list = join(folder, 'unheard');
    const hook = script(
      'hook.mjs',
      `import { writeFileSync } from 'node:fs';
       import { registerHooks } from 'node:module';
       const loaded = { unheard: [], heard: [] };
       registerHooks({ load(url, context, next) {
         loaded[process.listenerCount('SIGTERM') === 0 ? 'unheard' : 'heard'].push(url);
         return next(url, context);
       } });
       process.on('exit', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify(loaded)));`,
    );
    const service = await Service.start({ database, env: { NODE_OPTIONS: `--import=${hook}` } });
    await service.stop();
    const loaded = JSON.parse(readFileSync(list, 'utf8')) as Record<'unheard' | 'heard', string[]>;
    const bytes = (urls: string[]): number =>
      urls.reduce((sum, url) => sum + (url.startsWith('file:') ? statSync(fileURLToPath(url)).size : 0), 0);
    expect(bytes(loaded.unheard)).toBeGreaterThan(0);
    expect(bytes(loaded.unheard)).toBeLessThan(100_000);
    expect(bytes(loaded.heard)).toBeGreaterThan(1_000_000);
  });

  it.each([0, 20, 50, 100, 200, 400])('ends process 1 of a container, %i ms after Node began', async (ms) => {
    const asRoot = process.getuid?.() === 0 ? '' : '--user --map-root-user';
    const unshare = `#!/bin/sh\nexec unshare ${asRoot} --pid --fork --kill-child ${process.execPath} "$@"\n`;
    const service = Service.launch({ database, node: script('container', unshare) });
    const first = await childOf(service.pid ?? 0);
    while (!handlesSigterm(first)) await sleep(1);
    await sleep(ms);
    process.kill(first, 'SIGTERM');
    const limit = setTimeout(() => service.signal('SIGKILL'), 15_000);
    expect(await service.exited).toEqual(ENDED);
    clearTimeout(limit);
  });
});

async function childOf(pid: number): Promise<number> {
  for (;;) {
    try {
      const child = Number(readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8'));
      if (child > 0 && readFileSync(`/proc/${String(child)}/cmdline`, 'utf8').includes('main.js')) return child;
    } catch {
      // It has not started yet.
    }
    await sleep(1);
  }
}

/** Whether Node has started. It handles SIGTERM from its start on, before any JavaScript runs. */
function handlesSigterm(pid: number): boolean {
  const caught = /^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & SIGTERM_BIT) !== 0n;
}

describe('a signal to a service that is ready', () => {
  it('SIGHUP drains it as SIGTERM does', async () => {
    const service = await Service.start({ database });
    expect(await service.kill('SIGHUP')).toEqual(ENDED);
    expect(service.log.map(({ event }) => event).slice(-2)).toStrictEqual(['app.draining', 'app.stopped']);
  });

  it('SIGUSR2 changes the level of the log, and changes it back', async () => {
    const service = await Service.start({ database, env: { LOG_LEVEL: 'info' } });
    const changed = (level: string) =>
      service.untilLogged(({ event, log_level: now }) => event === 'log.level' && now === level);
    service.signal('SIGUSR2');
    expect((await changed('debug'))['level']).toBe('debug');
    service.signal('SIGUSR2');
    expect((await changed('info'))['level']).toBe('info');
    await service.stop();
  });

  it('SIGUSR1 opens no debugger in production', async () => {
    const env = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://pets.test/v1', MIGRATIONS: 'run' };
    const service = await Service.start({ database, env: { ...env, SHUTDOWN_DELAY_MS: '0' } });
    service.signal('SIGUSR1');
    await sleep(500);
    expect((await new HttpClient(service.managementUrl).get('/livez')).status).toBe(200);
    expect(await service.stop()).toEqual(ENDED);
    expect(service.output).not.toMatch(/debugger|inspector/i);
  });
});

describe('what an older Node started', () => {
  it('ends in order once that is killed', async () => {
    const service = await Service.start({ database, ...oldNode(folder) });
    const child = Number(service.log[0]?.['pid']);
    expect(child).not.toBe(service.pid);
    // A process that does not end would keep the log open for ever.
    const limit = setTimeout(() => process.kill(child, 'SIGKILL'), 10_000);
    service.signal('SIGKILL');
    // Resolves when the last process has closed the log.
    await service.exited;
    clearTimeout(limit);
    expect(service.log.map(({ event }) => event).slice(-2)).toStrictEqual(['app.draining', 'app.stopped']);
  });

  it('ends by itself where it is a command', async () => {
    const { node = process.execPath, env } = oldNode(folder);
    const { stdout } = await run(node, [builtProgram('cli.js'), 'config'], {
      env: programEnvironment(database.url, env),
    });
    expect(stdout).toMatch(/^DATABASE_URL +sqlite:/m);
  });
});
