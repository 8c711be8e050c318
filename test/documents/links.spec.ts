import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectFiles, readDocuments } from '../support/markdown.js';

const documents = readDocuments();
const files = new Set(projectFiles());
const folders = new Set([...files].flatMap(foldersAbove));

it('finds the documents that a newcomer looks for', () => {
  const paths = documents.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']));
});

describe.each(documents)('$path', ({ path, links, anchors, codes }) => {
  it('leads nowhere that is not there', () => {
    const dead = links.filter((link) => !/^(https?|mailto):/.test(link) && !isThere(link));
    expect(dead).toEqual([]);
  });

  it('names no file that is not there', () => {
    const named = codes.filter((code) => /^(src|test|docs|scripts|deploy|examples|bench|\.ci)\/[\w./-]+$/.test(code));
    expect(named.filter((name) => !files.has(name) && !folders.has(name.replace(/\/$/, '')))).toEqual([]);
  });

  function isThere(link: string): boolean {
    const [target = '', anchor] = link.split('#', 2);
    const found = target === '' ? path : join(dirname(path), decodeURI(target)).replace(/\/$/, '');
    if (!files.has(found)) return anchor === undefined && folders.has(found);
    if (anchor === undefined) return true;
    const there = target === '' ? anchors : documents.find((document) => document.path === found)?.anchors;
    return there?.has(anchor) ?? false;
  }
});

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}
