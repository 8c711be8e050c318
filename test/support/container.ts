import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './command.js';
import { readDockerfile, type Image } from './dockerfile.js';
import type { MemoryLimit } from './memory-limit.js';
import { findProgram } from './programs.js';

/** The path of Node in the distroless image, which is also its entry point. */
const NODE = '/nodejs/bin/node';

/** The reason why this machine cannot run the container tests; undefined if it can. */
export function whyNoContainer(): string | undefined {
  if (process.platform !== 'linux') return 'mount namespaces are Linux’s own';
  if (process.getuid?.() !== 0) return 'only root may mount';
  if (findProgram('unshare') === undefined || findProgram('setpriv') === undefined) return 'util-linux is missing';
  return undefined;
}

/**
 * The image that the Dockerfile builds, started without a container engine. The root of a mount namespace holds Node
 * with its libraries and what the last stage copies, and nothing else. It is read-only. Node runs as the image's user,
 * without capabilities and without a way to gain any.
 */
export class Container {
  readonly image: Image = readDockerfile();
  /** The path of a script that starts Node in the container, with the script's own arguments. */
  readonly node: string;
  readonly #folder: string;
  readonly #secrets: string;

  /** @param secrets the folder that is mounted at /run/secrets. */
  constructor(secrets: string) {
    // On the disk of the packages, so that they are linked and not copied. The folder is kept, so that it can be
    // inspected.
    const folder = join(projectFolder, 'artifacts/container');
    rmSync(folder, { recursive: true, force: true });
    const root = join(folder, 'root');
    [this.#folder, this.#secrets] = [folder, secrets];
    for (const empty of ['proc', 'sys/fs/cgroup', 'tmp', 'run/secrets'])
      mkdirSync(join(root, empty), { recursive: true });
    copyNode(root);
    for (const { from, to } of this.image.copies) {
      const target = join(root, to);
      if (from === 'node_modules') linkProductionPackages(target);
      else link(join(projectFolder, from), target);
    }
    warm(root, this.image);
    this.node = this.#program('node');
  }

  /** Like `node`, within the memory limit of a control group. */
  nodeWithin({ processes }: MemoryLimit): string {
    return this.#program('limited-node', `echo $$ > '${processes}'`);
  }

  #program(name: string, first = ':'): string {
    const path = join(this.#folder, name);
    const script = startScript(join(this.#folder, 'root'), this.#secrets, this.image);
    writeFileSync(path, `#!/bin/sh\n${first}\n${script}`);
    chmodSync(path, 0o755);
    return path;
  }
}

/** Warms the compile cache as the Dockerfile does: as the image's user, who may write to that folder only. */
function warm(root: string, { user, workdir, warming }: Image): void {
  const [uid = '', gid = ''] = user.split(':');
  const cache = join(root, workdir, 'node_modules/.cache');
  mkdirSync(cache);
  chownSync(cache, Number(uid), Number(gid));
  const place = [`--root=${root}`, `--wd=${workdir}`, `--setgid=${gid}`, `--setuid=${uid}`];
  for (const args of warming) {
    execFileSync('unshare', [...place, NODE, ...args], { env: { PATH: process.env['PATH'] }, stdio: 'pipe' });
  }
  execFileSync('chown', ['--recursive', '0:0', cache]);
}

function startScript(root: string, secrets: string, { user, workdir }: Image): string {
  const [uid = '', gid = ''] = user.split(':');
  const inside = [
    `mount --bind '${root}' '${root}'`,
    `mount -t proc proc '${root}/proc'`,
    `mount --rbind /sys/fs/cgroup '${root}/sys/fs/cgroup'`,
    `mount --bind '${secrets}' '${root}/run/secrets'`,
    `mount -o remount,bind,ro,nosuid,nodev '${root}'`,
    `exec setpriv --no-new-privs unshare --root='${root}' --wd='${workdir}' --setgid=${gid} --setuid=${uid} ${NODE} "$@"`,
  ];
  return `exec unshare --mount sh -ec '${inside.join('\n').replaceAll("'", '"')}' sh "$@"\n`;
}

function copyNode(root: string): void {
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).matchAll(/(?:=> |^\s+)(\/\S+)/gm);
  const files = [...libraries].map(([, path = '']) => ({ from: path, to: path }));
  for (const { from, to } of [{ from: process.execPath, to: NODE }, ...files]) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  }
}

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Links the packages that `npm prune --omit=dev` leaves, by the lock file. */
function linkProductionPackages(target: string): void {
  const text = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const kept = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  for (const path of kept.map(([path]) => path).filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path))) {
    const source = join(projectFolder, path);
    // The lock file lists optional packages of other platforms, which are not installed.
    if (existsSync(source)) link(source, join(target, path.slice('node_modules/'.length)));
  }
}

function link(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const copy = ['--archive', '--no-target-directory', source, target];
  try {
    execFileSync('cp', ['--link', ...copy], { stdio: 'ignore' });
  } catch {
    // Hard links do not work across disks.
    execFileSync('cp', copy);
  }
}
