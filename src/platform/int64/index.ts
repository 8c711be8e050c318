export { Int64Column } from './int64.column.js';
export { Int64Parameter, Int64Property, type Int64Options } from './int64.property.js';
export { INT64_MAX, INT64_MIN, parseId, parseInt64 } from './int64.js';
