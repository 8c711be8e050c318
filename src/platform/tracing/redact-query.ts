/** Parameters that are told; more are of no use to anybody. */
const MOST = 16;
const NAME = /^[a-z]\w{0,31}$/i;

/**
 * A query for a span: the names of its parameters, without their values. What does not look like a name could be
 * anything, a pasted key as well.
 *
 * @param text as it was sent, without the `?`.
 */
export function redactQuery(text: string): string {
  return text
    .split('&', MOST)
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2);
      return value !== undefined && NAME.test(name) && !/^as_(live|test)_/i.test(name)
        ? `${name}=REDACTED`
        : 'REDACTED';
    })
    .join('&');
}
