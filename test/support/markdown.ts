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
  /** The `text` block directly after it: the output. */
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
  /** The anchors that a link may name after `#`, as GitHub derives them from headings. */
  readonly anchors: ReadonlySet<string>;
  /** The targets of links and images. */
  readonly links: readonly string[];
  readonly fences: readonly Fence[];
  readonly tables: readonly Table[];
  /** Text in backticks. */
  readonly codes: readonly string[];
}

/** Every Markdown file that git tracks or would track, except the API reports, which contain TypeScript. */
export function readDocuments(): MarkdownDocument[] {
  return projectFiles()
    .filter((path) => path.endsWith('.md') && !path.endsWith('.api.md'))
    .map(readDocument);
}

/** The paths of every file that git tracks or would track, relative to the project. */
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

/** The text of a heading without its markup. */
function plainText(token: Token): string {
  const inner = (token as Tokens.Generic).tokens;
  return inner === undefined ? (token as Tokens.Text).text : inner.map(plainText).join('');
}
