import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ServiceOptions } from './service.js';

/** A Node that is too old: the one of this machine, or ours with a changed version. */
export function oldNode(folder: string): Pick<ServiceOptions, 'node' | 'env'> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const found = folders.map((each) => join(each, 'node')).filter((path) => existsSync(path));
  const old = found.find((path) => /^v(1\d|2[0-3])\./.test(execFileSync(path, ['--version']).toString()));
  if (old !== undefined) return { node: old };
  const disguise = join(folder, 'disguise.cjs');
  // The programs that it starts must see the real version.
  const version = "Object.defineProperty(process.versions, 'node', { value: '20.0.0' });";
  writeFileSync(disguise, `${version} delete process.env.NODE_OPTIONS;`);
  return { env: { NODE_OPTIONS: `--require ${disguise}` } };
}
