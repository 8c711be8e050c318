import { rootOf, statementFault, type DatabaseLink, type PlatformDataSource } from '../database/index.js';
import { inTime } from '../time.js';

const PERIOD_MS = 2000;
const MISSES_UNTIL_DOWN = 2;
/** Limit of any check. Milliseconds. */
const CHECK_TIMEOUT_MS = 1500;

/**
 * A readiness check of a feature: true while the feature can serve. It runs every 2 s in the background, and a probe
 * reads the last result. If it throws, every reader of /readyz sees the error code, and for SQLite also the message.
 */
export type HealthContribution = () => boolean | Promise<boolean>;

interface Check {
  readonly ask: HealthContribution;
  misses: number;
  ok: boolean;
  /** Why the check fails, if that is known. */
  reason?: string | undefined;
}

/** Whether this replica should get traffic. Probes read the results of the last background checks. */
export class Health {
  private readonly checks = new Map<string, Check>();
  private timer: NodeJS.Timeout | undefined;
  /** Whether the service accepts requests: the features have started, and the shutdown has not begun. */
  private accepting = false;
  private draining = false;
  private everReady = false;

  /** Adds a check. Every reader of /readyz sees its name. */
  contribute(name: string, ask: HealthContribution): void {
    this.checks.set(name, { ask, misses: MISSES_UNTIL_DOWN, ok: false });
  }

  /** Starts the background checks. Resolves after the first run of each check. */
  async start(): Promise<void> {
    if (this.draining) return;
    this.timer = setInterval(() => void this.checkAll(), PERIOD_MS).unref();
    await this.checkAll();
  }

  /** To be called when the features have started. */
  accept(): void {
    this.accepting = !this.draining;
  }

  /** Makes the service not ready until the process exits. */
  drain(): void {
    this.draining = true;
    this.accepting = false;
    clearInterval(this.timer);
  }

  get isReady(): boolean {
    return this.accepting && this.everReady && [...this.checks.values()].every((check) => check.ok);
  }

  get hasStarted(): boolean {
    return this.everReady;
  }

  /** The result of each check by name, for the body of /readyz. */
  report(): Record<string, 'ok' | 'failing'> {
    const entries = [...this.checks].map(([name, { ok }]) => [name, ok ? 'ok' : 'failing'] as const);
    return Object.fromEntries([...entries, ['accepting', this.accepting ? 'ok' : 'failing']]);
  }

  /** The known reasons of failing checks, by the name of the check. */
  reasons(): Record<string, string> {
    const failing = [...this.checks].filter(([, { ok }]) => !ok);
    return Object.fromEntries(failing.flatMap(([name, { reason }]) => (reason === undefined ? [] : [[name, reason]])));
  }

  /** Runs every check now, without waiting for the next period. */
  async checkAll(): Promise<void> {
    await Promise.all([...this.checks.keys()].map((name) => this.check(name)));
    if (this.accepting && [...this.checks.values()].every((check) => check.ok)) this.everReady = true;
  }

  private async check(name: string): Promise<void> {
    const check = this.checks.get(name);
    if (check === undefined) return;
    const answer = await answerOf(check.ask);
    const hit = answer === true;
    check.reason = hit || answer === false ? undefined : answer;
    check.misses = hit ? 0 : check.misses + 1;
    if (hit) check.ok = true;
    else if (check.misses >= MISSES_UNTIL_DOWN) check.ok = false;
  }
}

/** The result of a check. A check that throws, or that does not answer in time, failed. A string is the reason. */
async function answerOf(ask: HealthContribution): Promise<boolean | string> {
  try {
    return await inTime(CHECK_TIMEOUT_MS, Promise.resolve(ask()));
  } catch (error) {
    return reasonOf(error) ?? false;
  }
}

/**
 * The error code without the message, because a message may contain private data. The message of an SQLite error is
 * added, because faults of its file are described only there.
 */
function reasonOf(error: unknown): string | undefined {
  const fault = rootOf(error);
  const { type } = statementFault(fault);
  if (type === 'unknown') return undefined;
  return type.startsWith('SQLITE_') ? `${type}: ${(fault as Error).message}` : type;
}

/** Limit for the answer of the database to a check. Milliseconds. */
const DATABASE_TIMEOUT_MS = 1000;

/**
 * A check that runs a statement like a feature does, so its failure counts as an outage. While the schema is not
 * current, features may not run statements, so the check asks through `link`.
 */
export function databaseAnswers(
  dataSource: Pick<PlatformDataSource, 'ask'>,
  link: Pick<DatabaseLink, 'isCurrent' | 'answers' | 'outages'>,
): HealthContribution {
  return async () => {
    const { outages } = link;
    if (outages.damagedFile !== undefined) throw outages.damagedFile as Error;
    if (!link.isCurrent) {
      if (await link.answers(DATABASE_TIMEOUT_MS)) return true;
      if (outages.fault === undefined) return false;
      throw outages.fault as Error;
    }
    await dataSource.ask('SELECT 1 AS one', [], { isGated: true, timeoutMs: DATABASE_TIMEOUT_MS });
    return true;
  };
}
