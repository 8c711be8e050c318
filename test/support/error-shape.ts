import { expect } from '@jest/globals';

declare module 'expect' {
  // TypeScript requires the library's own parameter names, used or not.
  interface Matchers<R> {
    /**
     * An error of the documented shape: JSON with exactly `code`, `message` and `status`, which equals that of the
     * status line.
     */
    toBeErrorShape(status: number, code: string): R;
  }
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

expect.extend({
  toBeErrorShape(received: unknown, status: number, code: string) {
    const faults = faultsOf(received as Answered, status, code);
    const answer = received as Answered;
    return {
      pass: faults.length === 0,
      message: () =>
        `expected ${this.isNot ? 'anything but ' : ''}the Error ${String(status)} ${code}: ${faults.join('; ')}\n` +
        `received ${String(answer.status)} ${answer.text}`,
    };
  },
});

function faultsOf(answer: Answered, status: number, code: string): string[] {
  const faults: string[] = [];
  if (answer.status !== status) faults.push(`status line says ${String(answer.status)}`);
  const type = answer.headers.get('content-type') ?? 'none';
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(type)) faults.push(`content-type is ${type}`);
  const body = parseObject(answer.text);
  if (body === undefined) return [...faults, 'the body is no JSON object'];
  const fields = Object.keys(body).sort().join(', ');
  if (fields !== 'code, message, status') faults.push(`its fields are ${fields}`);
  if (body['code'] !== code) faults.push(`code is ${String(body['code'])}`);
  if (body['status'] !== status) faults.push(`status is ${String(body['status'])}`);
  if (typeof body['message'] !== 'string' || body['message'].trim() === '') faults.push('message is empty');
  return faults;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
