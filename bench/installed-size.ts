import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Bytes that the built service needs: the package as it is published, and what `npm ci --omit=dev` installs. */
export function installedBytes(): { packages: number; own: number } {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: true; readonly devOptional?: true }>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => join(project, path))
    // Optional packages of other platforms are in the lock file only.
    .filter((folder) => existsSync(folder));
  return {
    packages: folders.reduce((sum, folder) => sum + bytesIn(folder), 0),
    own: bytesIn(join(project, 'dist'), '.map'),
  };
}

/** Of all files in a folder, without the packages inside of it, which the lock file lists by themselves. */
function bytesIn(folder: string, except = ''): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesIn(path, except);
    if (entry.isFile() && (except === '' || !entry.name.endsWith(except))) bytes += statSync(path).size;
  }
  return bytes;
}
