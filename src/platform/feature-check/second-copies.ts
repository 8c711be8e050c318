import { readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname } from 'node:path';
import { fileOf, type Feature } from '../feature.js';

/**
 * Packages of which a process may hold one copy only. Injection goes by the identity of classes, exceptions by
 * `instanceof`, and the decorators of this package leave their marks under symbols of its own: with a second copy a
 * feature is not found, or its scopes are lost.
 */
const SINGLE = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];

/** One clause for each package that the feature would load from another place than the platform does. */
export function faultsOfCopies(feature: Feature): string[] {
  const file = fileOf(feature);
  if (file === undefined) return [];
  const here = import.meta.url;
  const single = [
    ['animal-store', folderOf('..', here)],
    ...SINGLE.map((name) => [name, folderOf(name, here)]),
  ] as const;
  return single.flatMap(([name = '', ours]) => {
    const theirs = folderOf(name, file);
    if (ours === undefined || theirs === undefined || ours === theirs) return [];
    return [
      `brings its own ${name} ${versionIn(theirs)} (${theirs}) beside ${versionIn(ours)} (${ours}); ` +
        'there may be one: make it a peerDependency of the feature, and install again',
    ];
  });
}

/** Where a package is found from a file, links followed; undefined where it is not. */
function folderOf(name: string, from: string): string | undefined {
  try {
    const manifest = module.findPackageJSON(name, from);
    return manifest === undefined ? undefined : dirname(realpathSync(manifest));
  } catch {
    return undefined;
  }
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string }).version;
}
