/** What a shell sees of a program that SIGPIPE ended: 128 and the signal's number. */
const READER_GONE = 141;

/**
 * Lets a command outlive whoever reads its output, as `head` does not read to the end: its work, a migration perhaps, is
 * done to the end, nothing more is printed, and a success becomes 141. Node ignores SIGPIPE and would end with a stack.
 */
export function outliveReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exitCode ||= READER_GONE;
    });
  }
}
