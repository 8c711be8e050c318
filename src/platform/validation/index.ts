export { documentDto, undeclaredProperties } from './document-dto.js';
export { hasShape, neverText } from './dto-shape.js';
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
} from './text.property.js';
export { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './property-rule.js';
export {
  isChecked,
  RequestValidationPipe,
  type OtherPipes,
  UnreadBody,
  queryObject,
} from './request-validation.pipe.js';
export { refuseFields, validateBody, refuseQuery, validateQuery } from './validate-body.js';
