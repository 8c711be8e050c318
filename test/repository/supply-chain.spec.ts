import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

interface Locked {
  readonly version: string;
  readonly name?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly components?: readonly Component[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

interface Package extends Readonly<Record<'dependencies' | 'devDependencies' | 'peerDependencies', object>> {
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

const { packages } = read(join(project, 'package-lock.json')) as { packages: Record<string, Locked> };
const own = read(join(project, 'package.json')) as Package;
const locked = Object.entries(packages).filter(([path]) => path !== '');

const nameOf = (path: string, { name }: Locked): string => name ?? path.slice(path.lastIndexOf('node_modules/') + 13);

describe('the lock file', () => {
  it('pins every package by its content', () => {
    expect(locked.length).toBeGreaterThan(100);
    const unpinned = locked.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it('takes nothing from another place than the registry: no git, no file, no address', () => {
    expect(locked.filter(([, { resolved, link }]) => resolved !== undefined || link).map(([path]) => path)).toEqual([]);
    const ranges = Object.entries({ ...own.dependencies, ...own.devDependencies, ...own.peerDependencies });
    expect(
      ranges.filter(([, range]) => !/^(npm:(@[\w-]+\/)?[\w-]+@)?\^\d+\.\d+\.\d+$/.test(String(range))),
    ).toStrictEqual([]);
  });

  it('lets no package run a script of its own at installation but those that are named', () => {
    const scripted = locked.filter(([, entry]) => entry.hasInstallScript).map(([path, entry]) => nameOf(path, entry));
    expect(scripted.filter((name) => !(name in own.allowScripts))).toEqual([]);
    expect(Object.keys(own.allowScripts).filter((name) => own.allowScripts[name])).toEqual(['node']);
  });
});

describe('the bill of materials', () => {
  it('names every package that the service is made of, and no other', () => {
    const folder = scratchFolder('sbom');
    const file = join(folder, 'sbom.json');
    execFileSync('npm', ['run', '--silent', 'sbom', '--', '--output-file', file], { cwd: project, stdio: 'pipe' });
    const bom = read(file) as { bomFormat: string; components: Component[] };
    removeScratch(folder);
    const flatten = (components: readonly Component[] = []): string[] =>
      components.flatMap(({ group, name, version, components: inner }) => [
        `${group === undefined ? '' : `${group}/`}${name}@${version}`,
        ...flatten(inner),
      ]);
    const needed = locked
      .filter(([, { dev, link }]) => !dev && !link)
      .map(([path, entry]) => `${nameOf(path, entry)}@${entry.version}`);
    expect(bom.bomFormat).toBe('CycloneDX');
    expect(flatten(bom.components).sort()).toEqual(needed.sort());
  });
});
