import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileBytes, readTextFile, UnusableFile } from './text-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'text-file-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string | Buffer): string {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return path;
}

const notText = new UnusableFile('is not UTF-8 text; save it as UTF-8');

describe('readTextFile', () => {
  it('takes a byte order mark off, and nothing else', () => {
    expect(readTextFile(file('\uFEFFPORT=1\r\n'))).toBe('PORT=1\r\n');
    expect(readTextFile(file(' \uFEFFé𝄞 '))).toBe(' \uFEFFé𝄞 ');
    expect(readTextFile(file(''))).toBe('');
  });

  it.each([
    ['UTF-16, little endian', Buffer.from('\uFEFFPORT=1', 'utf16le')],
    ['UTF-16, big endian', Buffer.from('\uFEFFPORT=1', 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from('PORT=1', 'utf16le')],
    ['ISO 8859-1', Buffer.from('NAME=Zoë', 'latin1')],
  ])('refuses %s', (_title, bytes) => {
    expect(() => readTextFile(file(bytes))).toThrow(notText);
  });

  it('reads a file that says no size', () => {
    expect(readTextFile('/proc/self/status')).toMatch(/^Name:/);
  });
});

describe('readFileBytes', () => {
  it('reads as many bytes as are allowed, and refuses one more', () => {
    expect(readFileBytes(file(Buffer.alloc(10, 1)), 10)).toEqual(Buffer.alloc(10, 1));
    expect(() => readFileBytes(file(Buffer.alloc(11)), 10)).toThrow(new UnusableFile('is larger than 10 bytes'));
    // The file is larger than the size that `stat` reports.
    expect(() => readFileBytes('/proc/self/status', 10)).toThrow(new UnusableFile('is larger than 10 bytes'));
  });

  it('neither reads nor holds a file of many gigabytes', () => {
    const path = file('');
    truncateSync(path, 2 ** 40);
    expect(() => readFileBytes(path)).toThrow('is larger than 1048576 bytes');
  });

  it('refuses what is no file, without waiting for it', () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    mkdirSync(join(folder, 'folder'));
    const message = (path: string): string => {
      try {
        return readFileBytes(path).toString();
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message(fifo)).toBe('is no regular file');
    expect(message('/dev/zero')).toBe('is no regular file');
    expect(message(join(folder, 'folder'))).toBe('is a directory');
    expect(message(join(folder, 'none'))).toBe('cannot be read (ENOENT)');
  });
});
