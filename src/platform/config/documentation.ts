import type { ValidatorSpec } from 'envalid';
import type { Configured, ConfigVariables } from './feature-config.js';
import { parserOf } from './value-kinds.js';
import { sections } from './variables.js';
import type { Config } from './config.js';

/** The documentation of one variable. */
export interface DocumentedVariable {
  readonly name: string;
  /** The default outside production, as text. Empty if there is none. */
  readonly default: string;
  /** The default in production, or `required`; undefined if it is the same as outside production. */
  readonly inProduction?: string;
  /** Completes the sentence "must be …". */
  readonly accepts: string;
  readonly meaning: string;
}

export interface DocumentedSection {
  readonly title: string;
  readonly variables: readonly DocumentedVariable[];
}

/** Documents every variable of the platform, then those of each feature, from their declarations. */
export function documentedSections(features: readonly Configured[]): DocumentedSection[] {
  const others = features.map(({ name, config }): [string, ConfigVariables] => [name, config?.variables ?? {}]);
  return [...Object.entries<ConfigVariables>(sections), ...others]
    .map(([title, declared]) => ({
      title,
      variables: Object.entries(declared).map(([name, spec]) => documentVariable(name, spec)),
    }))
    .filter(({ variables }) => variables.length > 0);
}

function documentVariable(name: string, spec: ValidatorSpec<unknown>): DocumentedVariable {
  const { accepts, show } = parserOf(spec);
  const text = (value: unknown): string => (value === undefined ? '' : show(value));
  const example = spec.example === undefined ? '' : ` (e.g. ${spec.example})`;
  const documented = {
    name,
    default: text('devDefault' in spec ? spec.devDefault : spec.default),
    accepts,
    meaning: `${spec.desc}${example}`,
  };
  if (!('devDefault' in spec)) return documented;
  return { ...documented, inProduction: 'default' in spec ? text(spec.default) : 'required' };
}

/** The text of .env.example: every variable commented out, with its default. */
export function renderExample(documented: readonly DocumentedSection[]): string {
  const head = [
    '# Every variable that the service reads, with its default. Written by `node dist/main.js config --example`.',
    '# Copy this file to .env and take the # away from what is to differ. The environment of the process comes before',
    '# .env. Empty is unset. Instead of NAME, NAME_FILE may name a file that holds the value.',
  ];
  const body = documented.flatMap(({ title, variables: listed }) => [
    '',
    `## ${title}`,
    ...listed.flatMap((variable) => ['', ...commentOn(variable), `#${variable.name}=${unmasked(variable.default)}`]),
  ]);
  return [...head, ...body, ''].join('\n');
}

/**
 * A user who uncomments the line would set the mask as the value. An empty value is unset, so the secret keeps its
 * default.
 */
function unmasked(text: string): string {
  return /^\*+$/.test(text) ? '' : text;
}

function commentOn({ meaning, accepts, inProduction }: DocumentedVariable): string[] {
  const production = inProduction === undefined ? '' : ` In production: ${inProduction}.`;
  return [`# ${meaning}.`, `# Must be ${accepts}.${production}`];
}

/** One Markdown table per section. */
export function renderMarkdown(documented: readonly DocumentedSection[]): string {
  const tables = documented.map(({ title, variables: listed }) =>
    [
      `### ${title}`,
      '',
      '| Variable | Default | Must be | Meaning |',
      '|---|---|---|---|',
      ...listed.map((variable) =>
        row([`\`${variable.name}\``, defaultOf(variable), variable.accepts, variable.meaning]),
      ),
      '',
    ].join('\n'),
  );
  return tables.join('\n');
}

function defaultOf({ default: text, inProduction }: DocumentedVariable): string {
  const usual = text === '' ? 'unset' : `\`${text}\``;
  return inProduction === undefined
    ? usual
    : `${usual}; in production ${inProduction === 'required' ? inProduction : `\`${inProduction}\``}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/**
 * One line per setting: its name, its effective value with secrets masked, and its source.
 *
 * @param fromDotEnv names of variables that the `.env` file set. Their source is shown as `.env`.
 */
export function describeConfig(config: Pick<Config, 'settings'>, fromDotEnv: ReadonlySet<string> = new Set()): string {
  const rows = config.settings.map(({ name, value, source }) => {
    // A line break in a value would look like another setting.
    const shown = value === '' ? '(unset)' : value.replace(/\p{Cc}/gu, '\u{FFFD}');
    return [name, shown, source === 'environment' && fromDotEnv.has(name) ? '.env' : source] as const;
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  return rows
    .map(([name, value, source]) => `${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}\n`)
    .join('');
}
