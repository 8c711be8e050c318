import { readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname } from 'node:path';
import { fileOf, ownerOf, type Feature } from '../feature.js';

/**
 * Packages of which a process may hold one copy only. Injection goes by the identity of classes, exceptions by
 * `instanceof`, metadata by the table that holds it.
 */
const SINGLE = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];

const HERE = import.meta.url;

/**
 * One clause for each package that the feature would load from another place than the platform does. A feature of a
 * second animal-store is known by its declaration, which that one holds: its scopes would be lost.
 */
export function faultsOfCopies(feature: Feature): string[] {
  if (ownerOf(feature.module) === undefined) {
    return [`was not declared by the defineFeature of ${folderOf('..', HERE) ?? HERE}; there may be one animal-store`];
  }
  const file = fileOf(feature);
  return file === undefined ? [] : SINGLE.flatMap((name) => faultsOfPackage(name, file));
}

function faultsOfPackage(name: string, file: string): string[] {
  const ours = folderOf(name, HERE);
  const theirs = folderOf(name, file);
  if (ours === undefined || theirs === undefined || ours === theirs) return [];
  return [
    `brings its own ${name} ${versionIn(theirs)} (${theirs}) beside ${versionIn(ours)} (${ours}); ` +
      'there may be one: make it a peerDependency of the feature, and install again',
  ];
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
