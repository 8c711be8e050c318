export {
  ApiError,
  OUTCOME_UNKNOWN,
  RETRY_SOON,
  type ApiErrorOptions,
  defineErrorCode,
  isErrorCode,
  statusOfCategory,
  type ErrorCategory,
  type ErrorCode,
} from './api-error.js';
export { coreErrors } from './core-errors.js';
