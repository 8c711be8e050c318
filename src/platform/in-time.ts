/**
 * What `work` comes to, or false where that takes longer than `milliseconds`; the work itself goes on.
 *
 * @throws (rejects) what `work` rejects with in that time.
 */
export function inTime<T>(milliseconds: number, work: Promise<T>): Promise<T | false> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(false), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
