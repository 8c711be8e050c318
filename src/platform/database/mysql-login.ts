import { currentDatabaseTarget, type Config } from '../config/index.js';
import type { Log } from '../logging/index.js';

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Who a new connection logs in as. The file that DATABASE_URL comes from may be changed in place, as secrets are rotated. */
export class MysqlLogin {
  private readable = true;

  /** @param log gets a line once when the file cannot be used; the login that was read last holds on. */
  constructor(
    private readonly settings: Config['database'],
    private known: Login,
    private readonly log?: Log,
  ) {}

  /** Read anew each time. Never throws: mysql2 asks for it during a handshake. */
  get current(): Login {
    try {
      const target = currentDatabaseTarget(this.settings);
      if (target.kind === 'mysql') this.known = target;
      this.readable = true;
    } catch (err) {
      const message = 'DATABASE_URL_FILE cannot be used; the login that it had holds on';
      if (this.readable) this.log?.warn({ event: 'config.warning', err }, message);
      this.readable = false;
    }
    return this.known;
  }
}
