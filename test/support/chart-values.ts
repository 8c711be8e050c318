/** The schema of one value of the chart. The value is always text, as in the environment. */
export interface TextSchema {
  readonly type: 'string';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

export interface VariableSchemas {
  /** The schemas of the chart's `config` value, by variable. */
  readonly config: Readonly<Record<string, TextSchema>>;
  /** The schemas of `secrets.files`: for each NAME_FILE, the key of the Secret that holds the value of NAME. */
  readonly files: Readonly<Record<string, TextSchema>>;
}

/** The chart sets these itself: its ports have names, and it runs production only. */
export const DECIDED: readonly string[] = ['NODE_ENV', 'PORT', 'MANAGEMENT_PORT'];

/** In a ConfigMap, everybody who may read ConfigMaps could read these. */
const SECRET: readonly string[] = ['DATABASE_URL', 'REDIS_URL'];

const SECRET_KEY = { type: 'string', pattern: '^[\\w.-]+$' } as const;

/** The schemas of all variables, from the tables that the command `config --markdown` prints. */
export function variableSchemas(markdown: string): VariableSchemas {
  const rows = [...markdown.matchAll(/^\| `(\w+)` \| [^|]* \| (.*?) \| (.*?) \|$/gm)];
  const variables = rows.map(([, name = '', accepts = '', meaning = '']) => ({ name, accepts, meaning }));
  const free = variables.filter(({ name }) => !DECIDED.includes(name));
  const plain = free.filter(({ name }) => !SECRET.includes(name) && !name.endsWith('_FILE') && !isSunset(name));
  return {
    config: Object.fromEntries(
      plain.map(({ name, accepts, meaning }) => [
        name,
        { type: 'string', description: `${meaning}. Must be ${accepts}.`, ...textOf(accepts) },
      ]),
    ),
    files: Object.fromEntries(free.map(({ name }) => [name.endsWith('_FILE') ? name : `${name}_FILE`, SECRET_KEY])),
  };
}

const isSunset = (name: string): boolean => name.endsWith('_SUNSET');

function textOf(accepts: string): Partial<TextSchema> {
  const [, words] = /^one of (.*)$/.exec(accepts) ?? [];
  if (words !== undefined) return { enum: words.split(', ') };
  if (accepts === 'true or false') return { enum: ['true', 'false'] };
  const [, from, to] = /^a whole number from (\d+) to (\d+)$/.exec(accepts) ?? [];
  if (from !== undefined && to !== undefined) return { pattern: `^(${wholeNumbers(from, to)})$` };
  if (accepts.includes('ends in /v1')) return { pattern: '^https?://[^\\s?#]+/v1$' };
  const [, some] = /^some of (.+), with commas between$/.exec(accepts) ?? [];
  if (some !== undefined) {
    const one = `\\s*(${some.replaceAll(', ', '|')})\\s*`;
    return { pattern: `^${one}(,${one})*$` };
  }
  if (accepts.startsWith('an e-mail address, or')) return { pattern: '^(https?://\\S+|[\\w.+-]{1,64}@[^\\s@]+)$' };
  return { pattern: '\\S' };
}

/** A regular expression for the decimal numbers from `from` to `to`, without leading zeros. */
function wholeNumbers(from: string, to: string): string {
  const lengths = Array.from({ length: to.length - from.length + 1 }, (_, more) => from.length + more);
  return lengths
    .flatMap((length) =>
      between(
        length === from.length ? from : `1${'0'.repeat(length - 1)}`,
        length === to.length ? to : '9'.repeat(length),
      ),
    )
    .join('|');
}

/** Regular expressions for the numbers between two numbers with the same count of digits. */
function between(from: string, to: string): string[] {
  const [first, last, fromRest, toRest] = [from.charAt(0), to.charAt(0), from.slice(1), to.slice(1)];
  const rest = fromRest.length;
  if (/^0*$/.test(fromRest) && /^9*$/.test(toRest)) {
    return [`${first === last ? first : `[${first}-${last}]`}${rest === 0 ? '' : `\\d{${rest}}`}`];
  }
  if (first === last) return between(fromRest, toRest).map((each) => first + each);
  const [next, before] = [Number(first) + 1, Number(last) - 1];
  return [
    ...between(fromRest, '9'.repeat(rest)).map((each) => first + each),
    ...(next > before ? [] : between(`${next}${'0'.repeat(rest)}`, `${before}${'9'.repeat(rest)}`)),
    ...between('0'.repeat(rest), toRest).map((each) => last + each),
  ];
}
