import { readFileSync, writeFileSync } from 'node:fs';

/** Writes a text between `<!-- NAME -->` and `<!-- end of NAME -->` of a page in docs. */
export function writeBlock(name: string, text: string, file = 'benchmarks.md'): void {
  const page = new URL(`../docs/${file}`, import.meta.url);
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const before = readFileSync(page, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/${file} has no place for '${name}'`);
  writeFileSync(page, `${before.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${before.slice(to)}`);
}

/** @param file a path in docs. */
export function writeChart(file: string, svg: string): void {
  writeFileSync(new URL(`../docs/${file}`, import.meta.url), svg);
}
