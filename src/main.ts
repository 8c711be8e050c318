import { createApplication } from './application.js';
import { features } from './features.js';
import {
  crashOnUnknownFault,
  exitOnFault,
  stopOnSignal,
  useSupportedNode,
  welcome,
} from './platform/lifecycle/index.js';

/** The process: configuration, application, listen, drain. Nothing else. */
await exitOnFault(async () => {
  await useSupportedNode();
  const application = await createApplication({ features });
  stopOnSignal(application);
  crashOnUnknownFault(application);
  await application.start();
  await application.ready();
  await welcome(application);
});
