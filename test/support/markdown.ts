import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import GithubSlugger from 'github-slugger';
import { lexer, walkTokens, type Token, type Tokens } from 'marked';
import { projectFolder } from './command.js';

/** A fenced block of a document. */
export interface Fence {
  /** The first word after the fence: `sh`, `ts`. */
  readonly language: string;
  /** The words after it, e.g. `run`. */
  readonly words: readonly string[];
  readonly text: string;
  /** The `text` block that stands straight after it: what it prints. */
  readonly output: string | undefined;
}

/** One table, its cells as they are written. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface MarkdownDocument {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  /** What a link may name after `#`, as GitHub makes it of headings. */
  readonly anchors: ReadonlySet<string>;
  /** Where links and images lead. */
  readonly links: readonly string[];
  readonly fences: readonly Fence[];
  readonly tables: readonly Table[];
  /** Text in backticks. */
  readonly codes: readonly string[];
}

/** Every Markdown file that git tracks, and those that it would, but for the reports of the API, which list TypeScript. */
export function readDocuments(): MarkdownDocument[] {
  return projectFiles()
    .filter((path) => path.endsWith('.md') && !path.endsWith('.api.md'))
    .map(readDocument);
}

/** Every file that git tracks, and those that it would: paths relative to the project. */
export function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectFolder,
  });
  return listed
    .toString()
    .split('\0')
    .filter((path) => path !== '');
}

export function readDocument(path: string): MarkdownDocument {
  const text = readFileSync(join(projectFolder, path), 'utf8');
  const tokens = lexer(text);
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const links: string[] = [];
  const tables: Table[] = [];
  const codes: string[] = [];
  void walkTokens(tokens, (token) => {
    if (token.type === 'heading') anchors.add(slugger.slug(plainText(token)));
    if (token.type === 'link' || token.type === 'image') links.push((token as Tokens.Link).href);
    if (token.type === 'codespan') codes.push((token as Tokens.Codespan).text);
    if (token.type === 'table') tables.push(tableOf(token as Tokens.Table));
  });
  return { path, text, anchors, links, fences: fencesOf(tokens), tables, codes };
}

function tableOf({ header, rows }: Tokens.Table): Table {
  const cells = (row: readonly Tokens.TableCell[]): string[] => row.map((cell) => cell.text);
  return { header: cells(header), rows: rows.map(cells) };
}

function fencesOf(tokens: readonly Token[]): Fence[] {
  const blocks = tokens.filter(({ type }) => type !== 'space');
  return blocks.flatMap((token, at) => {
    if (token.type !== 'code') return [];
    const { lang = '', text } = token as Tokens.Code;
    const [language = '', ...words] = lang.split(/\s+/);
    const next = blocks[at + 1] as Tokens.Code | undefined;
    const output = next?.type === 'code' && next.lang === 'text' ? next.text : undefined;
    return [{ language, words, text, output }];
  });
}

/** The words of a heading without their marks. */
function plainText(token: Token): string {
  const inner = (token as Tokens.Generic).tokens;
  return inner === undefined ? (token as Tokens.Text).text : inner.map(plainText).join('');
}
