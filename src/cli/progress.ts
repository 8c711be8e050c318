/** Characters of the bar. */
const WIDTH = 30;
/** Milliseconds between two drawings on a terminal, and between two lines elsewhere. */
const REDRAW_MS = 100;
const LINE_MS = 10_000;

/** How far long work is and how long it will take: a bar on a terminal, a line now and then elsewhere. On stderr. */
export class Progress {
  private readonly startedAt = performance.now();
  private drawnAt = -Infinity;
  private done = 0;
  private readonly what: string;
  private readonly total: number;
  private readonly stream: NodeJS.WriteStream;

  constructor(what: string, total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.what = what;
    this.total = total;
    this.stream = stream;
    this.draw();
  }

  /** @param note what is worked on now. */
  advance(by: number, note = ''): void {
    this.done += by;
    this.draw(note);
  }

  private draw(note = ''): void {
    const now = performance.now();
    const last = this.done >= this.total;
    if (!last && now - this.drawnAt < (this.stream.isTTY ? REDRAW_MS : LINE_MS)) return;
    this.drawnAt = now;
    const line = `${this.what} ${bar(this.done / this.total)} ${this.estimate((now - this.startedAt) / 1000)} ${note}`;
    this.stream.write(this.stream.isTTY ? `\r\x1b[K${line}${last ? '\n' : ''}` : `${line}\n`);
  }

  private estimate(seconds: number): string {
    if (this.done >= this.total) return `in ${clock(seconds)}`;
    return this.done === 0 ? '' : `${clock((seconds / this.done) * (this.total - this.done))} left`;
  }
}

function bar(part: number): string {
  const full = Math.floor(Math.min(1, part) * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(Math.floor(part * 100)).padStart(3)} %`;
}

/** `1:05`, minutes and seconds. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${String(Math.floor(whole / 60))}:${String(whole % 60).padStart(2, '0')}`;
}
