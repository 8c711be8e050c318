export { type Application, type StopTimes, welcome } from './application.js';
export { ExchangeObserver } from './exchange-observer.js';
export { LifecycleModule } from './lifecycle.module.js';
export {
  changeLogLevelOnSignal,
  commandFault,
  commandHint,
  crashOnUnknownFault,
  exitOnFault,
  refuseDebugger,
  stopOnSignal,
} from './process.js';
export { Running } from './running.js';
