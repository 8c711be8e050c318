import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const run = promisify(execFile);
const page = join(projectFolder, 'docs/benchmarks.md');

interface Written {
  readonly effort: object;
  readonly samples: Record<string, Record<string, Record<string, number>[]>>;
}

describe('npm run bench', () => {
  let folder: string;

  beforeAll(() => {
    folder = scratchFolder('bench');
  });

  afterAll(() => removeScratch(folder));

  it('takes a quick look at what is asked for, and writes every sample to a file', async () => {
    const before = readFileSync(page, 'utf8');
    const file = join(folder, 'samples.json');
    const args = ['--quick', '--only', 'get', '--connections', '32', '--against', 'animal-store,bare', '--json', file];
    const { stdout, stderr } = await run(process.execPath, ['bench/bench.ts', ...args], { cwd: projectFolder });

    const { effort, samples } = JSON.parse(readFileSync(file, 'utf8')) as Written;
    expect(effort).toEqual({ restarts: 1, rounds: 1, seconds: 1, warmUpSeconds: 2 });
    expect(Object.keys(samples)).toEqual(['get@32']);
    const services = samples['get@32'] ?? {};
    expect(Object.keys(services)).toEqual(['animal-store', 'bare']);
    for (const [service, [sample, ...others]] of Object.entries(services)) {
      expect(others).toEqual([]);
      for (const figure of ['perSecond', 'p50Ms', 'p99Ms', 'cpuMicros', 'databaseMicros', 'residentMiB']) {
        expect([service, figure, sample?.[figure]]).toStrictEqual([service, figure, expect.any(Number)]);
        expect(sample?.[figure]).toBeGreaterThan(0);
      }
    }
    // The bare service queries the database for each request. Animal Store combines requests.
    expect(services['bare']?.[0]?.['queries']).toBeCloseTo(1, 1);
    expect(services['animal-store']?.[0]?.['queries']).toBeLessThan(0.5);

    expect(stdout).toContain('What came of 1 round of 1 second, on ');
    expect(stdout).toContain('| get, 32 | Animal Store |');
    expect(stdout).toMatch(/\| get, 32 \| requests\/s \| {2}\| {2}\| [\d.]+ \|/);
    expect(stderr).toMatch(/^bench █{40} 100 % in (?:\d+m)?\d+s: get, 32, bare$/m);
    // A quick look must not be written into a document.
    expect(readFileSync(page, 'utf8')).toBe(before);
  }, 300_000);
});
