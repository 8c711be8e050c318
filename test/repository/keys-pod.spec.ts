import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type CommandResult, projectFolder, runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { type Manifest, type PodSpec, readRendered, selectorOf, workloadsOf } from '../support/manifests.js';

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8');
const pod = parse(read('deploy/keys-pod.yaml')) as Pick<Manifest, 'metadata'> & {
  readonly spec: PodSpec;
};
const [container] = pod.spec.containers;

describe.each(['production', 'helm'])('the pod for keys, beside what a cluster is given: %s', (rendering) => {
  const { objects } = readRendered(rendering);
  const migration = workloadsOf(objects).find(({ name }) => name === 'Job')!;

  it('is as restricted as the migration, of the same image, with the same Secret', () => {
    const [migrate] = migration.pod.containers;
    expect(migration.pod.securityContext).toMatchObject(pod.spec.securityContext);
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: migration.pod.automountServiceAccountToken,
      volumes: migration.pod.volumes,
    });
    const { image, securityContext, volumeMounts } = container!;
    expect({ image, securityContext, volumeMounts }).toEqual({
      image: migrate!.image,
      securityContext: migrate!.securityContext,
      volumeMounts: migrate!.volumeMounts,
    });
  });

  it('is let out to the database by the policy of the migration, and gets no request of the service', () => {
    const isSelected = (object: Manifest): boolean => {
      const labels = Object.entries(selectorOf(object) ?? { none: '' });
      return labels.every(([name, value]) => pod.metadata.labels?.[name] === value);
    };
    const selecting = objects.filter(({ kind }) => kind !== 'ServiceMonitor').filter(isSelected);
    expect(selecting.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'NetworkPolicy animal-store-migrate',
    ]);
  });
});

describe('what the documents say of keys in a cluster', () => {
  /** The arguments of the program in each documented command that runs in the pod. */
  const commands = ['docs/operating/keys.md', 'SECURITY.md'].flatMap((path) =>
    [...read(path).matchAll(/ exec animal-store-keys -- \/nodejs\/bin\/node dist\/main\.js (.*)$/gm)].map(
      ([, command = '']) => command,
    ),
  );
  const environment = Object.fromEntries(
    (container!.env ?? []).filter(({ name }) => !name.endsWith('_FILE')).map(({ name, value }) => [name, value]),
  );
  let database: TestDatabase;
  let results: CommandResult[];

  beforeAll(async () => {
    database = await createSqliteDatabase();
    await runCommand(database, ['migrate'], environment);
    results = [];
    let id = '';
    for (const command of commands) {
      const result = await runCommand(database, command.replace('ID', id).split(' '), environment);
      results.push(result);
      id = /\bas_live_(\w{8})_/.exec(result.stdout)?.[1] ?? id;
    }
  }, 120_000);

  afterAll(() => database.drop());

  it('does each of it, word for word', () => {
    expect(commands.map((command) => command.split(' ')[1])).toStrictEqual([
      'create',
      'list',
      'roll',
      'revoke',
      'revoke',
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(results[3]!.stderr).toMatch(/"msg":"Key \w{8} is revoked\./);
  });
});
