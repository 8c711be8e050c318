export { cleanLine, describeError, framesOf, messageOf, stackOf } from './redaction.js';
export { createLog, flushLog, LOG, type Log, type LogSettings } from './log.js';
export { LoggingModule } from './logging.module.js';
export { OutageTime } from './outage-time.js';
export { NestLog } from './nest-log.js';
