export {
  ApiError,
  defineErrorCode,
  isErrorCode,
  OUTCOME_UNKNOWN,
  RETRY_SOON,
  StartFault,
  statusOfCategory,
  type ApiErrorOptions,
  type ErrorCategory,
  type ErrorCode,
} from './api-error.js';
export { coreErrors } from './core-errors.js';
