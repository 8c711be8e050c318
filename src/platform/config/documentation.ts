import type { ValidatorSpec } from 'envalid';
import { parserOf } from './value-kinds.js';
import { sections, variables, type VariableName } from './variables.js';

/** What is written about one variable. */
export interface DocumentedVariable {
  readonly name: string;
  /** As it would be given outside production; empty where nothing is set. */
  readonly default: string;
  /** The default in production, or that there is none, where that differs. */
  readonly inProduction?: string;
  /** Completes the sentence "must be …". */
  readonly accepts: string;
  readonly meaning: string;
}

export interface DocumentedSection {
  readonly title: string;
  readonly variables: readonly DocumentedVariable[];
}

/** Every variable of the platform, from the declarations. */
export function documentedSections(): DocumentedSection[] {
  return sections.map(({ title, names }) => ({ title, variables: names.map(documentVariable) }));
}

function documentVariable(name: VariableName): DocumentedVariable {
  const spec: ValidatorSpec<unknown> = variables[name];
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
    ...listed.flatMap((variable) => ['', ...commentOn(variable), `#${variable.name}=${variable.default}`]),
  ]);
  return [...head, ...body, ''].join('\n');
}

function commentOn({ meaning, accepts, inProduction }: DocumentedVariable): string[] {
  const production = inProduction === undefined ? '' : ` In production: ${inProduction}.`;
  return [`# ${meaning}.`, `# Must be ${accepts}.${production}`];
}

/** One Markdown table a section. */
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
