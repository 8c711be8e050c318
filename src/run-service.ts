import type { Feature } from './platform/feature.js';
import { exitOnFault } from './platform/lifecycle/index.js';
import { useSupportedNode } from './platform/runtime/index.js';
import { serve } from './serve.js';

/**
 * The whole of a `main.ts`. Without arguments the process serves these features until a signal stops it. With arguments
 * it is their command line: `node dist/main.js migrate`, `keys create`, `openapi`, `config`, `help`.
 *
 * @param args what stands behind the program's name.
 */
export async function runService(features: readonly Feature[], args = process.argv.slice(2)): Promise<void> {
  const said = args.length === 0 ? undefined : 'The command failed';
  await exitOnFault(async () => {
    await useSupportedNode();
    if (args.length === 0) return serve(features);
    // Loaded only here: the service has no use for it.
    const { outliveOutput, runCommand } = await import('./cli/index.js');
    outliveOutput();
    await runCommand(features, args);
  }, said);
}
