import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes: far more than any value, certificate or `.env` has. */
const MOST_BYTES = 1024 * 1024;

/** A file cannot be used. The message completes the sentence "The file …" and holds nothing of what is in it. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';

  /** @param code the operating system's, e.g. `ENOENT`, where it is what refused. */
  constructor(
    reason: string,
    readonly code?: string,
  ) {
    super(reason);
  }
}

/**
 * The bytes of a regular file. It never waits, as opening a FIFO does, and never reads without end, as from a device.
 *
 * @param most bytes.
 * @throws {UnusableFile} for a file that cannot be read, is none, or is larger.
 */
export function readFileBytes(path: string, most = MOST_BYTES): Buffer {
  try {
    // Not to wait for a writer of a FIFO, nor to get a terminal for the process.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      return readBytes(descriptor, most);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof UnusableFile) throw error;
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
    throw new UnusableFile(`cannot be read (${code})`, code);
  }
}

function readBytes(descriptor: number, most: number): Buffer {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) throw new UnusableFile('is a directory', 'EISDIR');
  if (!stats.isFile()) throw new UnusableFile('is no regular file');
  const tooLarge = new UnusableFile(`is larger than ${most} bytes`);
  if (stats.size > most) throw tooLarge;
  // The size says nothing of a file that grows, or of one in /proc.
  const bytes = Buffer.alloc(most + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(descriptor, bytes, length, bytes.length - length, null);
  }
  if (length > most) throw tooLarge;
  return Buffer.from(bytes.subarray(0, length));
}

/**
 * The text of a regular file, without the byte order mark that some editors put before it.
 *
 * @param most bytes.
 * @throws {UnusableFile} as `readFileBytes`, and for what is not UTF-8.
 */
export function readTextFile(path: string, most = MOST_BYTES): string {
  const bytes = readFileBytes(path, most);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // UTF-16 without a mark is good UTF-8 as long as its letters are English.
    if (!text.includes('\0')) return text;
  } catch {
    // See below.
  }
  throw new UnusableFile('is not UTF-8 text; save it as UTF-8');
}
