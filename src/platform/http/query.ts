/**
 * The parameters of a query as it stands after the first `?`, decoded as application/x-www-form-urlencoded; broken
 * escapes become U+FFFD. URLSearchParams drops one leading `?` itself, so that `/v1/pets??a=1` keeps its own.
 */
export function parseQuery(text: string): URLSearchParams {
  return new URLSearchParams(`?${text}`);
}
