import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { satisfies, subset } from 'semver';

const project = fileURLToPath(new URL('../../', import.meta.url));

interface Locked {
  readonly version: string;
  readonly name?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
  readonly engines?: { readonly node?: string };
}

interface Bom {
  readonly bomFormat: string;
  readonly components: readonly { readonly purl: string }[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

interface Package extends Readonly<Record<'dependencies' | 'devDependencies' | 'peerDependencies', object>> {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly engines: { readonly node: string };
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

  it('has no package that its authors have given up, or that is made for another Node', () => {
    const unfit = locked.filter(
      ([, { deprecated, engines }]) => deprecated !== undefined || !satisfies(process.version, engines?.node ?? '*'),
    );
    expect(unfit.map(([path]) => path)).toEqual([]);
  });

  it('has for a service no package that is made for less than each Node of our engines', () => {
    const ours = own.engines.node;
    const unfit = locked.filter(([, { dev, engines }]) => dev !== true && !subset(ours, engines?.node ?? '*'));
    expect(unfit.map(([path, { engines }]) => `${path} wants ${String(engines?.node)}, and we say ${ours}`)).toEqual(
      [],
    );
  });

  it('lets no package run a script of its own at installation but those that are named', () => {
    const scripted = locked.filter(([, entry]) => entry.hasInstallScript).map(([path, entry]) => nameOf(path, entry));
    expect(scripted.filter((name) => !(name in own.allowScripts))).toEqual([]);
    expect(Object.keys(own.allowScripts).filter((name) => own.allowScripts[name])).toEqual(['node']);
  });
});

describe('the bill of materials', () => {
  it('names every package that the service is made of, and no other', () => {
    execFileSync('npm', ['run', '--silent', 'generate', '--', 'sbom'], { cwd: project, stdio: 'pipe' });
    const { bomFormat, components } = read(join(project, 'artifacts/sbom.cdx.json')) as Bom;
    const needed = locked
      .filter(([, { dev, link }]) => !dev && !link)
      .map(([path, entry]) => `pkg:npm/${nameOf(path, entry).replace('@', '%40')}@${entry.version}`);
    expect(bomFormat).toBe('CycloneDX');
    expect(components.map(({ purl }) => purl).sort()).toEqual([...new Set(needed)].sort());
  });
});
