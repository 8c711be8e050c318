import type { Feature } from './platform/feature.js';
import {
  changeLogLevelOnSignal,
  crashOnUnknownFault,
  exitOnFault,
  refuseDebugger,
  stopOnSignal,
  welcome,
} from './platform/lifecycle/index.js';
import { useSupportedNode, giveBackStartMemory, keepCodeAtRest } from './platform/runtime/index.js';
import { createApplication } from './application.js';
import { CONFIG, type Config } from './platform/config/index.js';

/**
 * Runs a program with these features. It is all that a `main.ts` needs. Without arguments, the process serves the
 * features until a signal stops it. With arguments, it is the command line: `node dist/main.js migrate`, `keys create`,
 * `openapi`, `config`, `help`.
 *
 * @param args the arguments after the name of the program.
 */
export async function runService(features: readonly Feature[], args = process.argv.slice(2)): Promise<void> {
  await exitOnFault(async () => {
    await useSupportedNode();
    if (args.length === 0) return serve(features);
    // Loaded only here, because the service does not need it.
    const { outliveOutput, runCommand } = await import('./cli/index.js');
    outliveOutput();
    await runCommand(features, args);
  }, args.length > 0);
}

/** Serves these features until a signal stops the process. Resolves when the service is ready. */
export async function serve(features: readonly Feature[]): Promise<void> {
  // A program of another team may not start with this repository's `main.ts`.
  keepCodeAtRest();
  const starting = createApplication({ features });
  stopOnSignal(starting);
  const application = await starting;
  if (application.nest.get<Config>(CONFIG).env === 'production') refuseDebugger();
  giveBackStartMemory();
  crashOnUnknownFault(application);
  changeLogLevelOnSignal(application);
  await application.start();
  await application.ready();
  await welcome(application);
}
