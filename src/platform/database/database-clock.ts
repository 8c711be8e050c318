import type { DataSource } from 'typeorm';

/**
 * SQL for the database's own time in whole milliseconds since the epoch, whatever the time zone of the session. Replicas
 * whose clocks differ agree on it. SQLite runs inside the process, so there it is the clock of the host.
 */
export function databaseNow({ options }: DataSource): string {
  return options.type === 'mysql'
    ? `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`
    : `CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)`;
}
