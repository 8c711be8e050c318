/** The engine's own name of what TypeORM or a driver failed with, e.g. `ER_DUP_ENTRY`; `undefined` as text without one. */
export function codeOf(error: unknown): string {
  return String(
    (error as { code?: unknown; driverError?: { code?: unknown } }).driverError?.code ??
      (error as { code?: unknown }).code,
  );
}

/** Whether a statement named a table that is not there. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === 'ER_NO_SUCH_TABLE' || (error as Error).message.includes('no such table');
}
