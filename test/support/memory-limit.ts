import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Controller {
  readonly folder: string;
  readonly limit: string;
  readonly swap?: string;
  readonly events: string;
}

/** Where the kernel's controller of memory is, by its version; undefined where there is none that may be written. */
function controller(): Controller | undefined {
  const root = '/sys/fs/cgroup';
  if (existsSync(join(root, 'memory/memory.limit_in_bytes'))) {
    return { folder: join(root, 'memory'), limit: 'memory.limit_in_bytes', events: 'memory.oom_control' };
  }
  const controllers = join(root, 'cgroup.subtree_control');
  if (existsSync(controllers) && readFileSync(controllers, 'utf8').includes('memory')) {
    return { folder: root, limit: 'memory.max', swap: 'memory.swap.max', events: 'memory.events' };
  }
  return undefined;
}

export function whyNoMemoryLimit(): string | undefined {
  return controller() === undefined ? 'no controller of memory is mounted' : undefined;
}

/** A control group whose processes have so much memory together, as those of a container. */
export class MemoryLimit {
  /** A process that writes its id there is in the group, and so are those that it starts. */
  readonly processes: string;
  readonly #events: string;
  readonly #folder: string;

  /** @throws {Error} where `whyNoMemoryLimit` says why. */
  constructor(bytes: number) {
    const found = controller();
    if (found === undefined) throw new Error(whyNoMemoryLimit());
    this.#folder = mkdtempSync(join(found.folder, 'animal-store-'));
    writeFileSync(join(this.#folder, found.limit), String(bytes));
    if (found.swap !== undefined) writeFileSync(join(this.#folder, found.swap), '0');
    this.processes = join(this.#folder, 'cgroup.procs');
    this.#events = join(this.#folder, found.events);
  }

  /** Processes that the kernel killed because there was no memory left. */
  get killed(): number {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.#events, 'utf8'))?.[1]);
  }

  /** To be called when its processes are gone. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
