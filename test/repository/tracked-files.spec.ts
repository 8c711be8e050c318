import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const project = fileURLToPath(new URL('../../', import.meta.url));
const MAX_BYTES = 1024 ** 2;

/** The files that git tracks or would track after `git add --all`, so that a fault is found before the commit. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: project })
  .toString()
  .split('\0')
  .filter((path) => path !== '' && statSync(join(project, path), { throwIfNoEntry: false })?.isFile() === true);

const read = (path: string): string => readFileSync(join(project, path), 'utf8');

/** `FILE: LINE` for each line that matches. */
function linesMatching(pattern: RegExp, paths: readonly string[] = files): string[] {
  return paths.flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim().slice(0, 120)}`),
  );
}

describe('the tracked files', () => {
  it('are those of a project, not of a build or a run', () => {
    expect(files).toContain('package.json');
    expect(files.filter((path) => /^(dist|data|artifacts|node_modules|coverage)\/|(^|\/)\.env$/.test(path))).toEqual(
      [],
    );
  });

  it('name no address of a package registry: a lock file is good for any mirror', () => {
    expect(linesMatching(/"resolved": ?"https?:/, ['package-lock.json'])).toEqual([]);
    expect(linesMatching(/^\s*(registry|@[\w-]+:registry)\s*=/, files)).toEqual([]);
    expect(linesMatching(/https?:\/\/[^\s/'"]*(registry|artifactory|nexus)[^\s/'"]*\//)).toEqual([]);
  });

  it('name no folder of the machine they were written on', () => {
    // Written in parts, so that this file passes its own test.
    const homes = new RegExp(`(^|[\\s'"\`(=:])/(${['work', 'root', 'Users', 'workspace'].join('|')})/`);
    expect(linesMatching(homes)).toEqual([]);
  });

  it('hold no private key', () => {
    expect(linesMatching(/-----BEGIN [A-Z ]*PRIVATE KEY-----/)).toEqual([]);
  });

  it('are small enough to be read', () => {
    expect(files.filter((path) => statSync(join(project, path)).size > MAX_BYTES)).toEqual([]);
  });
});
