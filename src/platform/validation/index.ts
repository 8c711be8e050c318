export type { Dto } from './dto-shape.js';
export { EnumParameter, EnumProperty, type EnumOptions } from './enum.property.js';
export { IntegerParameter, IntegerProperty, type IntegerOptions } from './integer.property.js';
export { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './property-rule.js';
export { isChecked, RequestValidationPipe } from './request-validation.pipe.js';
export { StringParameter, StringProperty, TextParameter, TextProperty, type StringOptions } from './text.property.js';
export { UnreadBody } from './unread-body.js';
export { validateBody } from './validate-body.js';
export { refuseQuery, validateQuery } from './validate-query.js';
