export { documentDto, neverText, undeclaredProperties } from './document-dto.js';
export { hasShape } from './dto.js';
export {
  EnumParameter,
  EnumProperty,
  type EnumOptions,
  StringParameter,
  StringProperty,
  TextParameter,
  TextProperty,
  type StringOptions,
  IntegerParameter,
  IntegerProperty,
  type IntegerOptions,
  ruledParameter,
  ruledProperty,
  type PropertyOptions,
  type PropertyRule,
} from './property-decorators.js';
export {
  isChecked,
  RequestValidationPipe,
  type OtherPipes,
  UnreadBody,
  parseQuery,
  refuseQuery,
  validateQuery,
} from './request-validation.pipe.js';
export { refuseFields, validateBody } from './validate-body.js';
