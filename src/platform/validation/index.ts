export { documentDto, undeclaredProperties } from './document-dto.js';
export { hasShape, type Dto, neverText } from './dto-shape.js';
export { EnumParameter, EnumProperty, type EnumOptions } from './enum.property.js';
export { IntegerParameter, IntegerProperty, type IntegerOptions } from './integer.property.js';
export { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './property-rule.js';
export {
  isChecked,
  RequestValidationPipe,
  type OtherPipes,
  UnreadBody,
  queryObject,
} from './request-validation.pipe.js';
export { StringParameter, StringProperty, TextParameter, TextProperty, type StringOptions } from './text.property.js';
export { refuseFields, validateBody } from './validate-body.js';
export { refuseQuery, validateQuery } from './validate-query.js';
