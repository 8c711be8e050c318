export { ApiError, RETRY_SOON, type ApiErrorOptions } from './api-error.js';
export { coreErrors } from './core-errors.js';
export { defineErrorCode, isErrorCode, statusOfCategory, type ErrorCategory, type ErrorCode } from './error-code.js';
