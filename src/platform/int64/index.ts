export { INT64_MAX, INT64_MIN, isInt64, parseId, parseInt64 } from './int64.js';
