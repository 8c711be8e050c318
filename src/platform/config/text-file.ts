import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes. Values, certificates and `.env` files are far smaller. */
const MOST_BYTES = 1024 * 1024;

/** A file cannot be used. The message completes the sentence "The file …" and quotes no content. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';

  /** @param code the code of the operating system, e.g. `ENOENT`, if that refused the file. */
  constructor(
    reason: string,
    readonly code?: string,
  ) {
    super(reason);
  }
}

/**
 * Reads a regular file. It never blocks, as opening a FIFO would, and never reads without end, as from a device.
 *
 * @param most bytes.
 * @throws {UnusableFile} if the file cannot be read, is no regular file, or is larger.
 */
export function readFileBytes(path: string, most = MOST_BYTES): Buffer {
  try {
    // O_NONBLOCK: do not wait for the writer of a FIFO. O_NOCTTY: do not make a terminal control the process.
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
  // The size is not reliable for a file that grows, or one in /proc.
  const bytes = Buffer.alloc(most + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(descriptor, bytes, length, bytes.length - length, null);
  }
  if (length > most) throw tooLarge;
  return Buffer.from(bytes.subarray(0, length));
}

/**
 * Reads a regular file as text, without its byte order mark.
 *
 * @param most bytes.
 * @throws {UnusableFile} as `readFileBytes`, and if the file is not UTF-8.
 */
export function readTextFile(path: string, most = MOST_BYTES): string {
  const bytes = readFileBytes(path, most);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // English text in UTF-16 without a byte order mark is valid UTF-8 with NUL characters.
    if (!text.includes('\0')) return text;
  } catch {
    // See below.
  }
  throw new UnusableFile('is not UTF-8 text; save it as UTF-8');
}
