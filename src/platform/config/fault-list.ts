import { ConfigError, type Fault } from './config-error.js';
import { fileSuffix } from './given-values.js';

/** Gathers the faults of one environment: one for each variable, the first that is found. */
export class FaultList {
  private readonly faults = new Map<string, Fault>();

  /** @param names every variable, in the order in which faults are listed. */
  constructor(private readonly names: readonly string[]) {}

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      const variable = this.variableOf(fault);
      if (!this.faults.has(variable)) this.faults.set(variable, fault);
    }
  }

  has(name: string): boolean {
    return this.faults.has(name);
  }

  /**
   * @param warnings are listed after the faults.
   * @throws {ConfigError} when there is any fault.
   */
  throwIfAny(warnings: readonly string[]): void {
    if (this.faults.size === 0) return;
    const order = [...this.faults.keys()].sort((a, b) => this.names.indexOf(a) - this.names.indexOf(b));
    const faults = order.flatMap((name) => this.faults.get(name) ?? []);
    throw new ConfigError(faults, warnings);
  }

  /** A fault of `NAME_FILE` is one of `NAME`, unless a variable is really called so. */
  private variableOf({ name }: Fault): string {
    return name.endsWith(fileSuffix) && !this.names.includes(name) ? name.slice(0, -fileSuffix.length) : name;
  }
}
