import { jest } from '@jest/globals';

/**
 * In CI, on a machine that is busy with whatever else, a test of real processes that fails is run once more after the others
 * of its file. Both outcomes are printed.
 */
if (process.env['CI'] !== undefined) jest.retryTimes(1, { logErrorsBeforeRetry: true });
