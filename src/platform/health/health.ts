import { rootOf, statementFault, type DatabaseLink, type PlatformDataSource } from '../database/index.js';
import { inTime } from '../time.js';

const PERIOD_MS = 2000;
const MISSES_UNTIL_DOWN = 2;
/** Milliseconds that any check may take. */
const CHECK_TIMEOUT_MS = 1500;

/**
 * What a feature adds to readiness: true while it can serve. It is asked every 2 s, never by a probe itself. Where it throws, the
 * code of the error is shown to anybody who reads /readyz.
 */
export type HealthContribution = () => boolean | Promise<boolean>;

interface Check {
  readonly ask: HealthContribution;
  misses: number;
  ok: boolean;
  /** Why it fails, as far as that is known. */
  reason?: string | undefined;
}

/** Whether this replica should get traffic. Probes read what the last background check saw. */
export class Health {
  private readonly checks = new Map<string, Check>();
  private timer: NodeJS.Timeout | undefined;
  /** Whether requests are taken: the features have started, and nothing stops. */
  private accepting = false;
  private draining = false;
  private everReady = false;

  /** Adds a check. Its name is shown to anybody who reads /readyz. */
  contribute(name: string, ask: HealthContribution): void {
    this.checks.set(name, { ask, misses: MISSES_UNTIL_DOWN, ok: false });
  }

  /** Resolves once each check was asked for the first time. */
  async start(): Promise<void> {
    if (this.draining) return;
    this.timer = setInterval(() => void this.checkAll(), PERIOD_MS).unref();
    await this.checkAll();
  }

  /** The features have started. */
  accept(): void {
    this.accepting = !this.draining;
  }

  /** Makes the service not ready, for good. */
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

  /** Checks by name, for the body of /readyz. */
  report(): Record<string, 'ok' | 'failing'> {
    const entries = [...this.checks].map(([name, { ok }]) => [name, ok ? 'ok' : 'failing'] as const);
    return Object.fromEntries([...entries, ['accepting', this.accepting ? 'ok' : 'failing']]);
  }

  /** Why checks fail, by their names, where that is known. */
  reasons(): Record<string, string> {
    const failing = [...this.checks].filter(([, { ok }]) => !ok);
    return Object.fromEntries(failing.flatMap(([name, { reason }]) => (reason === undefined ? [] : [[name, reason]])));
  }

  /** Asks every check now, without waiting for the next period. */
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

/** A check that throws, or does not answer in time, is a miss, with a reason where that is known. */
async function answerOf(ask: HealthContribution): Promise<boolean | string> {
  try {
    return await inTime(CHECK_TIMEOUT_MS, Promise.resolve(ask()));
  } catch (error) {
    return reasonOf(error) ?? false;
  }
}

/** The code, since a message may hold what is not for everybody. Those of SQLite speak of nothing but the file. */
function reasonOf(error: unknown): string | undefined {
  const fault = rootOf(error);
  const { type } = statementFault(fault);
  if (type === 'unknown') return undefined;
  return type.startsWith('SQLITE_') ? `${type}: ${(fault as Error).message}` : type;
}

/** Milliseconds that the database may take to answer a check. */
const DATABASE_TIMEOUT_MS = 1000;

/** As a feature's statement, which is seen to fail in an outage; while the schema is behind it asks nothing, so then by the link. */
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
