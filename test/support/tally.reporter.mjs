/**
 * Ends a run with one line, `N passed, N failed`, for people and for programs that read the end of a log. A test file
 * that could not run counts as one failure. A skipped test fails the run, since a test that did not run must not look
 * as if it passed. ALLOW_SKIP=1 allows skipped tests, and so does a run of tests selected by name.
 */
export default class TallyReporter {
  #byName;
  #error;

  constructor(globalConfig) {
    this.#byName = Boolean(globalConfig.testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    let line = `${results.numPassedTests} passed, ${failed} failed`;
    if (skipped > 0 && !this.#byName) {
      if (process.env.ALLOW_SKIP === '1') line += `, ${skipped} skipped`;
      else this.#refuse(results, skipped);
    }
    // Jest writes its own summary after every reporter has ended, so this waits for the end of the process.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }

  getLastError() {
    return this.#error;
  }

  #refuse(results, skipped) {
    const names = results.testResults
      .flatMap((file) => file.testResults)
      .filter((test) => test.status === 'pending' || test.status === 'todo')
      .map((test) => `  ${test.fullName}`);
    const message = `${skipped} skipped: a skipped test fails the run unless ALLOW_SKIP=1`;
    process.stderr.write(`\n${message}\n${names.join('\n')}\n`);
    this.#error = new Error(message);
  }
}
