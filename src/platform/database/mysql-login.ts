import { currentDatabaseTarget, type Config } from '../config/index.js';

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Who a new connection logs in as. The file that DATABASE_URL comes from may be changed in place, as secrets are rotated. */
export class MysqlLogin {
  private known: Login | undefined;
  private readable = true;

  /** @param unread told once when the file cannot be used; the login that was read last holds on. */
  constructor(
    private readonly settings: Config['database'],
    private readonly unread: (fault: unknown) => void,
  ) {}

  /** Read anew each time. Never throws: it is asked in the midst of a handshake. */
  get current(): Login | undefined {
    try {
      const target = currentDatabaseTarget(this.settings);
      if (target.kind === 'mysql') this.known = target;
      this.readable = true;
    } catch (fault) {
      if (this.readable) this.unread(fault);
      this.readable = false;
    }
    return this.known;
  }
}
