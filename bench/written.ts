import { readFileSync, writeFileSync } from 'node:fs';

const page = new URL('../docs/benchmarks.md', import.meta.url);
const picture = new URL('../docs/benchmarks.svg', import.meta.url);

/** Puts a text between `<!-- NAME -->` and `<!-- end of NAME -->` of the page. */
export function writeBlock(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const before = readFileSync(page, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place for '${name}'`);
  writeFileSync(page, `${before.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${before.slice(to)}`);
}

export function writeChart(svg: string): void {
  writeFileSync(picture, svg);
}
