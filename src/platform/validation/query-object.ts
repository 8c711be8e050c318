const PARSED = Symbol('animal-store:parsed-query');

/**
 * `request.query` as Express has it: an object without a prototype, of texts, and of lists where a name is given more than
 * once. Brackets in a name mean nothing.
 */
export function queryObject(parsed: URLSearchParams): object {
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const name of new Set(parsed.keys())) {
    const values = parsed.getAll(name);
    query[name] = values.length > 1 ? values : (values[0] as string);
  }
  return Object.defineProperty(query, PARSED, { value: parsed });
}

/**
 * The query that such an object was made of.
 *
 * @throws {TypeError} for any other object: what is validated is the query of the URL.
 */
export function parsedQueryOf(query: unknown): URLSearchParams {
  const parsed = (query as { readonly [PARSED]?: URLSearchParams } | undefined)?.[PARSED];
  if (parsed === undefined) throw new TypeError('Something has replaced the parsed query');
  return parsed;
}
