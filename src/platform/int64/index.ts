export {
  Int64Column,
  INT64_MAX,
  INT64_MIN,
  parseId,
  ParseIdPipe,
  parseInt64,
  Int64Parameter,
  Int64Property,
  type Int64Options,
} from './int64.js';
