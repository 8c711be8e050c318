export { cleanLine, framesOf, messageOf, stackOf } from './redaction.js';
export { writeInfo } from './info-line.js';
export { createLog, flushLog, type Log, type LogSettings } from './log.js';
export { NestLog } from './nest-log.js';

/** The injection token of the service's log. */
export const LOG = Symbol('animal-store:log');
