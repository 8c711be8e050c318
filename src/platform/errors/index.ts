export { ApiError, OUTCOME_UNKNOWN, RETRY_SOON, type ApiErrorOptions } from './api-error.js';
export { defineErrorCode, isErrorCode, statusOfCategory, type ErrorCategory, type ErrorCode } from './error-code.js';
export { coreErrors } from './core-errors.js';
