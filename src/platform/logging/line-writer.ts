import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';

/** Lines of standard output are written at once when they have so many characters. */
const BATCH_LENGTH = 16 * 1024;
/** Milliseconds that a line waits for others to be written with it. */
const BATCH_MS = 10;
/** Milliseconds between tries while nobody takes the lines. */
const RETRY_MS = 50;
/** Characters that may wait. A line that comes on top of them is dropped, and counted. */
const MOST_WAITING = 4 * 1024 ** 2;
/** Milliseconds that whoever reads the lines has to take the last ones. */
const LAST_LINES_MS = 1000;

/** Writers that hold lines, for the end of the process. */
const holding = new Set<LineWriter>();

process.once('exit', () => {
  for (const writer of holding) writer.finish();
});

/**
 * Writes lines in order: to standard output in batches, to standard error at once, since what a command says there without
 * the log must not overtake them. It never waits: a reader that stopped or
 * went away costs lines, beyond a bound, and never the turn of a request or the memory of the process. Why it is not
 * sonic-boom: docs/decisions/0017-log-writer.md.
 */
export class LineWriter implements DestinationStream {
  private readonly descriptor: number;
  private readonly batchLength: number;
  private text = '';
  /** What the descriptor did not take yet of earlier text. */
  private bytes: Buffer = Buffer.alloc(0);
  private timer: NodeJS.Timeout | undefined;
  private isStuck = false;

  /**
   * @param onDrop called for every line that is dropped.
   * @param format gives a line the form in which it is written.
   */
  constructor(
    name: 'stdout' | 'stderr',
    private readonly onDrop: () => void,
    private readonly format: (line: string) => string = (line) => line,
  ) {
    // Node makes a pipe or a socket non-blocking as it makes a stream of it, and blocking again at its end.
    const stream = process[name];
    this.descriptor = stream.fd;
    this.batchLength = name === 'stderr' ? 0 : BATCH_LENGTH;
    // Whoever else writes to it must not end the process because its reader did.
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  }

  write(unformatted: string): void {
    const line = this.format(unformatted);
    if (this.text.length + this.bytes.length + line.length > MOST_WAITING) return this.onDrop();
    this.text += line;
    holding.add(this);
    if (this.text.length >= this.batchLength && !this.isStuck) this.writeOut();
    else this.timer ??= setTimeout(() => this.writeOut(), this.isStuck ? RETRY_MS : BATCH_MS).unref();
  }

  /** Calls back once every line so far is written, or when nobody took it for a second. */
  flush(done?: () => void): void {
    void this.settle().then(done);
  }

  /** pino's word for a fatal line: at once, as far as that goes. */
  flushSync(): void {
    this.writeOut();
  }

  /** Like `flush`, but synchronous: for the end of the process. */
  finish(): void {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (const end = performance.now() + LAST_LINES_MS; this.writeOut() && performance.now() < end;) {
      Atomics.wait(clock, 0, 0, RETRY_MS);
    }
  }

  private async settle(): Promise<void> {
    for (const end = performance.now() + LAST_LINES_MS; this.writeOut() && performance.now() < end;) {
      await sleep(RETRY_MS);
    }
  }

  /** @returns whether there is something left that may be taken later. */
  private writeOut(): boolean {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      while (this.bytes.length + this.text.length > 0) {
        if (this.bytes.length === 0) {
          this.bytes = Buffer.from(this.text);
          this.text = '';
        }
        this.bytes = this.bytes.subarray(writeSync(this.descriptor, this.bytes));
      }
      this.isStuck = false;
      holding.delete(this);
      return false;
    } catch (error) {
      this.isStuck = true;
      this.timer = setTimeout(() => this.writeOut(), RETRY_MS).unref();
      return (error as NodeJS.ErrnoException).code === 'EAGAIN';
    }
  }
}
