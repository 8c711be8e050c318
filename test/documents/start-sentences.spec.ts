import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';
import { projectFolder } from '../support/command.js';
import { readDocument } from '../support/markdown.js';

/** Where the sentences are written that stop a start because of a feature. */
const FILES = [
  'src/platform/database/sqlite/sqlite-values.ts',
  'src/platform/feature-check/*.ts',
  'src/platform/metrics/feature-metrics.ts',
  'src/platform/routing/discover-routes.ts',
  'src/platform/validation/document-dto.ts',
];

/** Sentences of these files that are logged while the service runs. */
const LATER = new Set([
  '… is a decimal of … digits, which is too few for this value',
  'A metric could not be collected',
  'It did not end within … ms',
]);

/** Shorter texts are parts of other sentences. */
const WORDS = 4;
/** Characters. The shortest sentence is `has no name`. */
const DISTINCT = 11;

/** The text of an expression, with `…` for its variable parts: `has … as an entity`. Undefined if it is no text. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  return (textOf(node.left) ?? '…') + (textOf(node.right) ?? '…');
}

function sentencesIn(node: ts.Node): string[] {
  const text = textOf(node);
  if (text === undefined) return childrenOf(node).flatMap(sentencesIn);
  // The expressions of a template may contain sentences too.
  const inside = ts.isTemplateExpression(node)
    ? node.templateSpans.flatMap(({ expression }) => sentencesIn(expression))
    : [];
  return [text, ...inside];
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

function sentencesOf(...patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: projectFolder })
    .filter((file) => !file.endsWith('.spec.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(projectFolder, file), 'utf8');
      return sentencesIn(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    });
}

const sentences = sentencesOf(...FILES)
  // All of them begin with the name of the feature.
  .map((text) => text.replace(/^feature '…':? /, '').trim())
  .filter((text) => !LATER.has(text))
  .filter((text) => text.split(' ').filter((word) => /\w/.test(word)).length >= WORDS);

const table = readDocument('docs/extending/reference.md')
  .tables.filter(({ header }) => header.join() === 'Sentence,Cure')
  .flatMap(({ rows: own }) => own);
const rows = table.map((row) => row.join(' ').replaceAll('`', ''));
const promised = table.flatMap(([sentence = '']) => [...sentence.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));

it('finds the sentences of the code', () => {
  expect(sentences).toContain('has … as an entity, which is no @Entity()');
  expect(sentences.length).toBeGreaterThan(40);
});

it.each([...new Set(sentences)])('docs/extending/reference.md has a cure for: %s', (sentence) => {
  expect(rows.some((row) => haveInOrder(row, piecesOf(sentence)))).toBe(true);
});

/** The sentences by their constant parts, without those too short to tell one row from another. */
const everywhere = sentencesOf('src/platform/**/*.ts')
  .map((text) => piecesOf(text.replace(/^feature '…':? /, '')))
  .filter((pieces) => pieces.join(' ').length >= DISTINCT);

it.each(promised)('the code says what docs/extending/reference.md has a cure for: %s', (sentence) => {
  expect(everywhere.filter((pieces) => haveInOrder(sentence, pieces))).not.toEqual([]);
});

function piecesOf(sentence: string): string[] {
  return sentence.split('…').map((piece) => piece.trim());
}

function haveInOrder(text: string, pieces: readonly string[]): boolean {
  let at = 0;
  return pieces.every((piece) => {
    at = text.indexOf(piece, at) + piece.length;
    return at >= piece.length;
  });
}
