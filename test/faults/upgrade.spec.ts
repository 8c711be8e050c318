import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT, runCommand } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const build = (release: 'before' | 'after') => hosting({ features: [`./features/notes-${release}.feature.ts`] });

/**
 * As in deploy/: the Job of the new build runs while the old build serves. Then both serve, then the new one. Then back
 * again.
 */
onEachEngine('an upgrade with a step of the schema, under load', (engine) => {
  let database: TestDatabase;
  let key: string;
  let refused: string[];
  let written: number;

  beforeEach(async () => {
    [database, refused, written] = [await engine.createDatabase(), [], 0];
  });

  afterEach(() => database.drop());

  /** Writes through one replica until `stop`, which resolves after the last answer. */
  function load(
    { url }: Service,
    body: object,
  ): { stop: () => Promise<void>; answered: (more: number) => Promise<void> } {
    const client = new HttpClient(url, key);
    const stopping = new AbortController();
    let answers = 0;
    const send = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        const { status, text } = await client.post('/v1/notes', body);
        if (status === 201) written += 1;
        else refused.push(text);
        answers += 1;
      }
    };
    const sending = Promise.all([send(), send(), send()]);
    const answered = async (more: number): Promise<void> => {
      for (const goal = answers + more; answers < goal; await sleep(5));
    };
    const stop = async (): Promise<void> => {
      stopping.abort();
      await sending;
    };
    return { answered, stop };
  }

  const start = async (release: 'before' | 'after'): Promise<Service> => {
    const { program, env } = build(release);
    return Service.start({ database, program, env: { ...env, ...PATIENT, MIGRATIONS: 'check' } }, 60_000);
  };

  it('loses no request: the old build on the new schema, beside the new build, and again after a rollback', async () => {
    const { program, env } = build('before');
    expect((await runCommand(database, ['migrate'], env, program)).code).toBe(0);
    key = await storeKey(database);
    const old = await start('before');
    const onOld = load(old, { text: 'old' });
    await onOld.answered(30);
    const after = build('after');
    const migrated = await runCommand(database, ['migrate'], after.env, after.program);
    expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('applied AddColor1764300300000\n') });
    await onOld.answered(30);
    const next = await start('after');
    const onNext = load(next, { text: 'new', color: 'red' });
    await Promise.all([onOld.answered(30), onNext.answered(30)]);
    await onOld.stop();
    await old.stop();
    await onNext.answered(30);
    const back = await start('before');
    const onBack = load(back, { text: 'back' });
    await Promise.all([onBack.answered(30), onNext.answered(30)]);
    await Promise.all([onBack.stop(), onNext.stop()]);
    expect(refused).toEqual([]);
    const { notes, colored } = (await new HttpClient(next.url, key).get('/v1/notes')).json() as Record<string, number>;
    expect(notes).toBe(written);
    expect(colored).toBeGreaterThan(60);
    expect(colored).toBeLessThan(written);
    await Promise.all([back.stop(), next.stop()]);
  }, 300_000);
});
