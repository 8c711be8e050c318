import type mysql2 from 'mysql2';
import { currentDatabaseTarget, type Config } from '../config/index.js';
import type { Log } from '../logging/index.js';

interface Login {
  readonly user: string;
  readonly password: string;
}

/** The part of mysql2 that TypeORM uses. */
type Driver = Pick<typeof mysql2, 'createPool'>;

/** Who a new connection logs in as. The file that DATABASE_URL comes from may be changed in place, as secrets are rotated. */
export class MysqlLogin {
  private readable = true;

  /** @param log told once when the file cannot be used; the login that was read last holds on. */
  constructor(
    private readonly settings: Config['database'],
    private known: Login,
    private readonly log?: Log,
  ) {}

  /** A driver each of whose connections, from the first, logs in as whoever it is by then. */
  of({ createPool }: Driver): Driver {
    return {
      createPool: (options: mysql2.PoolOptions) => {
        const pool = createPool(options);
        const { connectionConfig } = (pool as unknown as { config: { connectionConfig: object } }).config;
        for (const part of ['user', 'password'] as const) {
          Object.defineProperty(connectionConfig, part, { get: () => this.current[part], enumerable: true });
        }
        return pool;
      },
    } as Driver;
  }

  /** Read anew each time. Never throws: it is asked in the midst of a handshake. */
  private get current(): Login {
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
