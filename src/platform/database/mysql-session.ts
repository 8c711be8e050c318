/** Most seconds for which a statement waits for a row or a table lock. */
export const LONGEST_LOCK_WAIT_S = 2;

/** Makes the same session on any server, whatever its defaults. Both MySQL and MariaDB know every word of it. */
export function sessionOf(lockWaitSeconds: number): string {
  return [
    `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`,
    // A table of another engine is not transactional, nor, on a Galera cluster, there on the other nodes.
    `default_storage_engine = InnoDB`,
    `time_zone = '+00:00'`,
    `innodb_lock_wait_timeout = ${lockWaitSeconds}`,
    `lock_wait_timeout = ${lockWaitSeconds}`,
  ].join(', ');
}
