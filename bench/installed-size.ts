import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Bytes on disk of the built service: the published package, and what `npm ci --omit=dev` installs. */
export function installedBytes(): { packages: number; own: number } {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: true; readonly devOptional?: true }>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => join(project, path))
    // The lock file lists optional packages of other platforms, which are not installed.
    .filter((folder) => existsSync(folder));
  return {
    packages: folders.reduce((sum, folder) => sum + bytesIn(folder), 0),
    own: bytesIn(join(project, 'dist'), '.map'),
  };
}

/** Bytes of all files in a folder, without nested packages, which the lock file lists separately. */
function bytesIn(folder: string, except = ''): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesIn(path, except);
    if (entry.isFile() && (except === '' || !entry.name.endsWith(except))) bytes += statSync(path).size;
  }
  return bytes;
}
