/** The engine's own name of what TypeORM or a driver failed with, e.g. `ER_DUP_ENTRY`; `undefined` as text without one. */
export function codeOf(error: unknown): string {
  return String(
    (error as { code?: unknown; driverError?: { code?: unknown } }).driverError?.code ??
      (error as { code?: unknown }).code,
  );
}
