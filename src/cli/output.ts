/** What a shell sees of a program that SIGPIPE ended: 128 and the signal's number. */
const READER_GONE = 141;

/**
 * Lets a command outlive its output: its work, a migration perhaps, is done to the end, whoever reads what it prints. One that
 * goes away, as `head` does not read to the end, makes a success 141; Node ignores SIGPIPE and would end with a stack. A disk
 * that is full is told: what the work made, a key perhaps, nobody saw.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') process.exitCode ||= READER_GONE;
      else {
        process.exitCode = 1;
        if (stream === process.stdout) process.stderr.write(`error: The output cannot be written: ${message}\n`);
      }
    });
  }
}
