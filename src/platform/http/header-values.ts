/**
 * Every value of a header that was sent, in order: `headers` has dropped the second of some names, which a proxy may go by,
 * and `headersDistinct` makes an object of lists of all of them.
 *
 * @param rawHeaders names and values in turn, as Node received them.
 * @param name in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
