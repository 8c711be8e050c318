import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The lines that are kept of one failure. The first ones say what was expected and received, the last ones where. */
const FIRST = 34;
const LAST = 18;
const WIDTH = 240;

/**
 * Shortens each failure to one screen before Jest's own reporters print it, since an assertion on a log or on a
 * document may print megabytes. `artifacts/failures.txt` has the whole text. This reporter must be listed before
 * `default`.
 */
export default class ShortFailuresReporter {
  #file;

  constructor({ rootDir }) {
    this.#file = join(rootDir, 'artifacts', 'failures.txt');
  }

  onRunStart() {
    rmSync(this.#file, { force: true });
  }

  onTestFileResult(test, result) {
    if (!result.failureMessage) return;
    // Jest begins each failure of a file with a headline.
    const failures = result.failureMessage.split(/^(?=[^\n]{0,12} {2}● )/m);
    const short = failures.map((failure) => this.#shorten(failure)).join('');
    if (short === result.failureMessage) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${test.path}\n${result.failureMessage}\n`);
    result.failureMessage = short;
  }

  #shorten(failure) {
    const lines = failure.split('\n').map(cut);
    const left = lines.length - FIRST - LAST;
    if (left <= 1) return lines.join('\n');
    const note = `    … ${left} lines more are in ${this.#file}`;
    return [...lines.slice(0, FIRST), note, ...lines.slice(-LAST)].join('\n');
  }
}

/** Ends colours at the end of a line that is cut. */
function cut(line) {
  if (line.length <= WIDTH) return line;
  return `${line.slice(0, WIDTH)}${line.includes('\u001b') ? '\u001b[0m' : ''} … ${line.length - WIDTH} more`;
}
