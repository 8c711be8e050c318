import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a screen holds of one failure: what was expected and received comes first, where it was asserted last. */
const FIRST = 34;
const LAST = 18;
const WIDTH = 240;

/**
 * Shortens what a failure says to one screen, before Jest's own reporters print it: an assertion on a log or on a document
 * may say megabytes. The whole is in `artifacts/failures.txt`. It stands before `default` in the list of reporters.
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
    // A headline of Jest's begins each failure of a file.
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

/** Colours end where the line does. */
function cut(line) {
  if (line.length <= WIDTH) return line;
  return `${line.slice(0, WIDTH)}${line.includes('\u001b') ? '\u001b[0m' : ''} … ${line.length - WIDTH} more`;
}
