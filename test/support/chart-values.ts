/** The schema of one value of the chart: always text, as the environment has it. */
export interface TextSchema {
  readonly type: 'string';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

export interface VariableSchemas {
  /** What `config` of the chart takes. */
  readonly config: Readonly<Record<string, TextSchema>>;
  /** What `secrets.files` takes: NAME_FILE, and the key of the Secret that holds the value of NAME. */
  readonly files: Readonly<Record<string, TextSchema>>;
}

/** The chart decides these: its ports have names, and everything that it runs is production. */
export const DECIDED: readonly string[] = ['NODE_ENV', 'PORT', 'MANAGEMENT_PORT'];

/** Written into a ConfigMap they would be readable by whoever may read one. */
const SECRET: readonly string[] = ['DATABASE_URL', 'REDIS_URL'];

const SECRET_KEY = { type: 'string', pattern: '^[\\w.-]+$' } as const;

/** The schemas of all variables, from the tables that the program prints: `config --markdown`. */
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
  if (from !== undefined && to !== undefined) return { pattern: `^(${wholeNumbers(Number(from), to)})$` };
  if (accepts.includes('ends in /v1')) return { pattern: '^https?://[^\\s?#]+/v1$' };
  return { pattern: '\\S' };
}

/** An expression for the decimal numbers from `from`, 0 or 1, to `to`, without leading zeros. */
function wholeNumbers(from: number, to: string): string {
  if (from > 1) throw new Error(`There is no expression for numbers from ${from}`);
  const zero = from === 0 ? ['0'] : [];
  const shorter = to.length > 1 ? [`[1-9]\\d{0,${to.length - 2}}`] : [];
  const asLong = [...to].flatMap((digit, at) => {
    const [least, most] = [at === 0 ? 1 : 0, Number(digit) - 1];
    if (most < least) return [];
    const rest = to.length - at - 1;
    return [`${to.slice(0, at)}[${least}-${most}]${rest === 0 ? '' : `\\d{${rest}}`}`];
  });
  return [...zero, ...shorter, ...asLong, to].join('|');
}
