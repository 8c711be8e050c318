/** Why a process cannot start, in plain words for whoever started it, without a stack. */
export class StartFault extends Error {
  /** What the process exits with. */
  readonly exitCode: number = 1;
}
