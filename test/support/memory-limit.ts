import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Controller {
  readonly folder: string;
  readonly limit: string;
  readonly swap?: string;
  readonly events: string;
}

/** The kernel's memory controller, by its version; undefined if there is none that this process may write to. */
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

/** A control group whose processes share a limit of memory, like those of a container. */
export class MemoryLimit {
  /** The file that adds a process: a process that writes its id there is in the group, with all that it starts. */
  readonly processes: string;
  readonly #events: string;
  readonly #folder: string;

  /** @throws {Error} if there is a reason in `whyNoMemoryLimit`. */
  constructor(bytes: number) {
    const found = controller();
    if (found === undefined) throw new Error(whyNoMemoryLimit());
    this.#folder = mkdtempSync(join(found.folder, 'animal-store-'));
    writeFileSync(join(this.#folder, found.limit), String(bytes));
    if (found.swap !== undefined) writeFileSync(join(this.#folder, found.swap), '0');
    this.processes = join(this.#folder, 'cgroup.procs');
    this.#events = join(this.#folder, found.events);
  }

  /** How many processes the kernel killed because the memory was used up. */
  get killed(): number {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.#events, 'utf8'))?.[1]);
  }

  /** Call this after the processes of the group have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
