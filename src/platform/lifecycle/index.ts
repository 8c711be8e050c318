export { Running, type Application } from './application.js';
export {
  changeLogLevelOnSignal,
  commandFault,
  commandHint,
  crashOnUnknownFault,
  exitOnFault,
  refuseDebugger,
  stopOnSignal,
} from './process.js';
export type { StopTimes } from './traffic.js';
export { welcome } from './welcome.js';
