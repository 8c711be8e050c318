/**
 * JSON text of a value, as `JSON.stringify` writes it, and a `bigint` as its plain digits.
 *
 * Written by hand because the engine's own ways to a raw number are slow: a replacer with `JSON.rawJSON`, and
 * `BigInt.prototype.toJSON`, which changes every library in the process too. A serializer compiled from the field list
 * would be a second description of each response.
 *
 * @param indent spaces a level, for a text that people read; that way is the slow one.
 * @throws {TypeError} when the value has no JSON text: undefined, a function, a symbol.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  const text = indent > 0 ? (JSON.stringify(value, rawBigint, indent) as string | undefined) : write(value);
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON text`);
  return text;
}

/** TypeScript's library does not know `JSON.rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

const rawBigint = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(value.toString()) : value;

function write(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? 'null' : writeObject(value);
    default:
      return JSON.stringify(value);
  }
}

function writeObject(value: object): string | undefined {
  if ('toJSON' in value && typeof value.toJSON === 'function') return write((value as { toJSON(): unknown }).toJSON());
  if (Array.isArray(value)) return writeArray(value);
  let text = '';
  for (const name of Object.keys(value)) {
    const member = write((value as Record<string, unknown>)[name]);
    if (member !== undefined) text += (text === '' ? openings : continuations).of(name) + member;
  }
  return text === '' ? '{}' : text + '}';
}

function writeArray(items: readonly unknown[]): string {
  let text = '[';
  for (let at = 0; at < items.length; at++) text += (at === 0 ? '' : ',') + (write(items[at]) ?? 'null');
  return text + ']';
}

/** Most strings are printable ASCII without anything to escape, and telling so is cheaper than `JSON.stringify`. */
const PLAIN = /^[ !#-[\]-~]*$/;

const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** What comes before a member's value, by the member's name. Each text put together costs memory, page after page. */
class Prefixes {
  private readonly known = new Map<string, string>();

  constructor(private readonly before: '{' | ',') {}

  of(name: string): string {
    let prefix = this.known.get(name);
    if (prefix === undefined) {
      prefix = `${this.before}${JSON.stringify(name)}:`;
      // Names are few and come again and again, unless someone answers with names that clients chose.
      if (this.known.size < MAX_PREFIXES) this.known.set(name, prefix);
    }
    return prefix;
  }
}

const MAX_PREFIXES = 1000;
const openings = new Prefixes('{');
const continuations = new Prefixes(',');
