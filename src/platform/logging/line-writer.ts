import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';

/** Characters. Waiting lines of standard output are written at once when they have this length. */
const BATCH_LENGTH = 16 * 1024;
/** Milliseconds that a line waits for others, to be written together. */
const BATCH_MS = 10;
/** Milliseconds between attempts while the reader takes no lines. */
const RETRY_MS = 50;
/** Characters that may wait. A line that exceeds them is dropped and counted. */
const MOST_WAITING = 4 * 1024 ** 2;
/** Milliseconds that the reader has to take the last lines. */
const LAST_LINES_MS = 1000;

/** Writers with waiting lines. They write them when the process exits. */
const holding = new Set<LineWriter>();

process.once('exit', () => {
  for (const writer of holding) writer.finish();
});

/**
 * Writes lines in order. Lines for standard output are written in batches. Lines for standard error are written at
 * once, so that they do not overtake what a command writes there directly. It never blocks: if the reader stops or goes
 * away, lines beyond a bound are dropped, and requests and memory are not affected. docs/decisions/0017-log-writer.md
 * explains why this is not sonic-boom.
 */
export class LineWriter implements DestinationStream {
  private readonly descriptor: number;
  private readonly batchLength: number;
  private text = '';
  /** Bytes of earlier text that the descriptor did not take yet. */
  private bytes: Buffer = Buffer.alloc(0);
  private timer: NodeJS.Timeout | undefined;
  private isStuck = false;

  /**
   * @param onDrop called for every dropped line.
   * @param format converts a line to the form in which it is written.
   */
  constructor(
    name: 'stdout' | 'stderr',
    private readonly onDrop: () => void,
    private readonly format: (line: string) => string = (line) => line,
  ) {
    // Creating the stream makes a pipe or socket non-blocking. Node makes it blocking again when the stream ends.
    const stream = process[name];
    this.descriptor = stream.fd;
    this.batchLength = name === 'stderr' ? 0 : BATCH_LENGTH;
    // Without this listener, another writer to the stream would end the process when the reader goes away.
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

  /** Calls back when every line so far is written, or when the reader took nothing for a second. */
  flush(done?: () => void): void {
    void this.settle().then(done);
  }

  /** pino calls this for a fatal line. It writes as much as the descriptor takes now. */
  flushSync(): void {
    this.writeOut();
  }

  /** Like `flush`, but synchronous, for the exit of the process. */
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

  /** @returns whether lines are left that the reader may take later. */
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
