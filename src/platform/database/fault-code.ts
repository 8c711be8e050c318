/** The engine's own name of what TypeORM or a driver failed with, e.g. `ER_DUP_ENTRY`; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  const { code, driverError } = error as { code?: string | number; driverError?: { code?: string | number } };
  const name = driverError?.code ?? code;
  return name === undefined ? undefined : String(name);
}

/** Whether a statement named a table that is not there. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === 'ER_NO_SUCH_TABLE' || (error as Error).message.includes('no such table');
}
