export type { Application } from './application.js';
export { ExchangeObserver } from './exchange-observer.js';
export { LoopWatch } from './loop-watch.js';
export { crashOnUnknownFault, exitOnFault, refuseDebugger, stopOnSignal } from './process.js';
export { Running } from './running.js';
export type { StopTimes } from './stop-times.js';
export { welcome } from './welcome.js';
