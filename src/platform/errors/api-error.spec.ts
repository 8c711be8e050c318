import { expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { coreErrors } from './core-errors.js';

it.each([
  ['SHED_IN_FLIGHT', 'SHED_IN_FLIGHT'],
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new Error('without a code'), undefined],
  [Object.assign(new Error('duplicate'), { code: 'Otso the bear' }), undefined],
  [new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNRESET' }) }), 'ECONNRESET'],
  [null, undefined],
  [undefined, undefined],
])('names its cause in one word: %p', (cause, code) => {
  expect(new ApiError(coreErrors.serviceUnavailable, undefined, { cause }).causeCode).toBe(code);
});
