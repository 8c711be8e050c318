import type mysql2 from 'mysql2';
import type { SessionSettings } from './mysql-session.js';
import { prepareConnections } from './prepared-connections.js';

/** The part of mysql2 that TypeORM uses. */
type Driver = Pick<typeof mysql2, 'createPool' | 'TypedParameter'>;

/**
 * A driver each of whose connections, from the first, has what these give at that moment, and a session that is set up.
 *
 * @param parts by the names of mysql2's options. They are asked in the midst of a handshake, so none may throw.
 */
export function followingDriver(
  { createPool, TypedParameter }: Driver,
  parts: Readonly<Record<string, () => unknown>>,
  session: SessionSettings,
): Driver {
  return {
    createPool: (options: mysql2.PoolOptions) => {
      const pool = createPool(options);
      const { connectionConfig } = (pool as unknown as { config: { connectionConfig: object } }).config;
      for (const [part, get] of Object.entries(parts)) {
        Object.defineProperty(connectionConfig, part, { get, enumerable: true });
      }
      prepareConnections(pool, session, TypedParameter.BIGINT);
      return pool;
    },
  } as Driver;
}
