import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createMysqlDatabase, createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { noteFigure } from '../support/figures.js';
import { HttpClient } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { findDatabaseServer, MariaDb } from '../support/mariadb.js';
import { Probes } from '../support/probes.js';
import { findProgram } from '../support/programs.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const prlimit = findProgram('prlimit');

interface Disk {
  readonly database: TestDatabase;
  fill(service: Service): Promise<void>;
  free(service: Service): Promise<void>;
  readonly drop: () => Promise<void>;
}

/** A server whose only tablespace file may not grow. InnoDB reports 1114, as for a full disk. */
async function fullTables(): Promise<Disk> {
  const server = await MariaDb.start({ args: tablesIn('ibdata1:12M:autoextend:max:24M') });
  return fullServer(server, { fill: () => undefined, free: () => undefined, drop: () => undefined });
}

/** A server on its own volume that another file fills to the last byte. */
async function fullVolume(): Promise<Disk> {
  const volume = scratchFolder('volume');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', volume]);
  const args = [...tablesIn('ibdata1:12M:autoextend'), '--innodb-log-file-size=8M'];
  const server = await MariaDb.start({ args, folder: join(volume, 'data') });
  const others = join(volume, 'others');
  return fullServer(server, {
    fill: () => {
      const { bavail, bsize } = statfsSync(volume);
      execFileSync('fallocate', ['--length', String(bavail * bsize), others]);
    },
    free: () => rmSync(others),
    drop: () => {
      execFileSync('umount', [volume]);
      removeScratch(volume);
    },
  });
}

const tablesIn = (file: string): string[] => [
  '--innodb-file-per-table=0',
  `--innodb-data-file-path=${file}`,
  '--innodb-autoextend-increment=1',
];

interface Volume {
  fill(): void;
  free(): void;
  drop(): void;
}

async function fullServer(server: MariaDb, volume: Volume): Promise<Disk> {
  const database = await createMysqlDatabase(server.url(), server.adminUrl());
  const grow = async (rows: number): Promise<void> => {
    const insert = `INSERT INTO filler (text) SELECT REPEAT('x', 7000) FROM information_schema.columns LIMIT ${String(rows)}`;
    while (
      await database.query(insert).then(
        () => true,
        () => false,
      )
    );
  };
  return {
    database,
    fill: async () => {
      await database.query('CREATE TABLE filler (id INT AUTO_INCREMENT PRIMARY KEY, text TEXT) ENGINE=InnoDB');
      volume.fill();
      for (const rows of [100, 10, 1]) await grow(rows);
    },
    free: async () => {
      volume.free();
      await database.query('DROP TABLE filler');
    },
    drop: async () => {
      await database.drop();
      await server.stop();
      volume.drop();
    },
  };
}

/** A process whose files may not grow, as on a full disk. */
async function fullFile(): Promise<Disk> {
  const database = await createSqliteDatabase();
  const limit = (service: Service, bytes: string): void =>
    void execFileSync(prlimit ?? '', ['--pid', String(service.pid), `--fsize=${bytes}:`]);
  return {
    database,
    fill: async (service) => {
      const wal = statSync(`${database.url.slice('sqlite:'.length)}-wal`).size;
      limit(service, String(wal + 20_000));
      return Promise.resolve();
    },
    free: (service) => Promise.resolve(limit(service, 'unlimited')),
    drop: () => database.drop(),
  };
}

const hasServer = findDatabaseServer() !== undefined;

describe.each([
  { what: 'tables that may not grow, on mysql', start: fullTables, canRun: hasServer },
  { what: 'a full disk, on mysql', start: fullVolume, canRun: hasServer && process.getuid?.() === 0 },
  { what: 'a full disk, on sqlite', start: fullFile, canRun: prlimit !== undefined },
])('$what', ({ start, canRun }) => {
  let disk: Disk;
  let service: Service;
  let client: HttpClient;
  let probes: Probes;

  beforeAll(async () => {
    if (!canRun) return;
    disk = await start();
    service = await Service.start({ database: disk.database, env: { RATE_LIMIT_PER_MINUTE: '0' } });
    client = new HttpClient(service.url, await storeKey(disk.database));
    probes = new Probes(service.managementUrl);
  });

  afterAll(async () => {
    if (!canRun) return;
    await probes.stop();
    await service.stop();
    await disk.drop();
  });

  (canRun ? it : it.skip)(
    'refuses writes with 503, takes reads, and takes writes again once there is space',
    async () => {
      const ledger = new Ledger(() => client, { posters: 8 });
      ledger.begin();
      await ledger.untilAcknowledged(20);
      await disk.fill(service);
      const full = await service.untilLogged(
        ({ event, part }) => event === 'db.unavailable' && part === 'write',
        20_000,
      );
      expect(full).toMatchObject({ level: 'warn', err: { code: expect.stringMatching(/FULL|IOERR/) } });
      while ((ledger.statuses.get(503) ?? 0) < 20) await sleep(10);
      expect((await client.get('/v1/pets')).status).toBe(200);
      expect((await client.get('/v1/pets/1')).status).toBe(200);
      await probes.until(true, 60_000);

      await disk.free(service);
      const freed = performance.now();
      await service.untilLogged(({ event, part }) => event === 'db.recovered' && part === 'write', 10_000);
      noteFigure('the disk has space again: first write', performance.now() - freed, 5000);
      await ledger.untilAcknowledged(20);
      await ledger.end();
      const { extras, ...kept } = await ledger.audit(disk.database);
      expect(kept).toEqual({ lost: [], doubled: [], denied: [] });
      // A statement that found no space was rolled back.
      expect(extras).toEqual([]);
      expect([...ledger.statuses.keys()].sort()).toEqual([201, 503]);
      for (const answer of ledger.answers) {
        expect(answer).toBeErrorShape(503, 'service_unavailable');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
      }
      expect(probes.deaths).toEqual([]);
    },
    60_000,
  );
});
