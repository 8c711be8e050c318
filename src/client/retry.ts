/** Answers after which the same request may succeed: the request did not arrive in time, its key is in use, too many, not now. */
const PASSING = new Set([408, 409, 429, 503]);

const FIRST_WAIT_MS = 200;

/**
 * How long to wait before the same request is sent again, in milliseconds; undefined where it would fail again.
 *
 * @param failure the answer, or undefined where there was none.
 * @param tries how often the request was sent, 1 or more.
 */
export function waitBefore(failure: Response | undefined, tries: number): number | undefined {
  // Half of it is chance: clients that failed together do not come back together.
  const backOff = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  if (failure === undefined) return backOff;
  const asked = Number(failure.headers.get('retry-after') ?? Number.NaN) * 1000;
  // A 409 without it is no key in use, but a fault that stays.
  if (PASSING.has(failure.status) && asked >= 0) return asked + backOff;
  if (PASSING.has(failure.status) && failure.status !== 409) return backOff;
  return failure.status === 500 && tries === 1 ? backOff : undefined;
}

/** Resolves after so many milliseconds. Rejects with the signal's reason once it is aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
