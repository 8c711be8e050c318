import { expect, it, jest } from '@jest/globals';
import { LateError, withDeadline } from './deadline.js';

it('ends a wait that takes too long, by an error that says for how long', async () => {
  const late = withDeadline(5, new Promise(() => undefined));
  await expect(late).rejects.toThrow(new LateError(5));
  await expect(late).rejects.toMatchObject({
    name: 'LateError',
    code: 'DATABASE_TIMEOUT',
    message: 'No answer from the database within 5 ms',
  });
});

it('gives what comes in time, or what it fails with, and leaves no timer', async () => {
  jest.useFakeTimers();
  await expect(withDeadline(1000, Promise.resolve(7))).resolves.toBe(7);
  await expect(withDeadline(1000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});
