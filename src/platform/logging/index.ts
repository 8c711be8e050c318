export { cleanLine, describeError, escapeUnseen, framesOf, messageOf, stackOf } from './redaction.js';
export { createLog, flushLog, LOG, LoggingModule, OutageTime, type Log, type LogSettings } from './log.js';
export { NestLog } from './nest-log.js';
