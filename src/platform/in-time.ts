/**
 * What `work` comes to, or false where that takes longer than `milliseconds`; the work itself goes on.
 *
 * @throws (rejects) what `work` rejects with in that time.
 */
export function inTime(milliseconds: number, work: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(false), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
