import { createApplication } from './application.js';
import { CONFIG, type Config } from './platform/config/index.js';
import type { Feature } from './platform/feature.js';
import { crashOnUnknownFault, refuseDebugger, stopOnSignal, welcome } from './platform/lifecycle/index.js';
import { giveBackStartMemory, keepCodeAtRest } from './platform/runtime/index.js';

/** Serves these features until a signal stops the process. Resolves once it is ready. */
export async function serve(features: readonly Feature[]): Promise<void> {
  // Not every program that serves features begins with `main.ts`.
  keepCodeAtRest();
  const starting = createApplication({ features });
  stopOnSignal(starting);
  const application = await starting;
  if (application.nest.get<Config>(CONFIG).env === 'production') refuseDebugger();
  giveBackStartMemory();
  crashOnUnknownFault(application);
  await application.start();
  await application.ready();
  await welcome(application);
}
