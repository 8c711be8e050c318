import { describe, expect, it } from '@jest/globals';
import type { ArgumentMetadata } from '@nestjs/common';
import { IntegerParameter, StringProperty } from './index.js';
import { parseQuery, RequestValidationPipe, UnreadBody } from './request-validation.pipe.js';

class Note {
  @StringProperty({ maxLength: 10 })
  text: string;
}
class Paged {
  @IntegerParameter({ minimum: 1, maximum: 100, default: 20 })
  limit: number;
}
interface Untold {
  text: string;
}
const untold: Untold = { text: 'x' };

class Bare {
  text: string;
}

const pipe = new RequestValidationPipe();
const piped = new RequestValidationPipe({ isPiped: () => true, parametersFirst: () => undefined });
const query = (text: string): object => parseQuery(text);
/** Nest awaits the result of a pipe. */
const run = async (value: unknown, metadata: object, by = pipe): Promise<unknown> =>
  await by.transform(value, metadata as ArgumentMetadata);

describe('RequestValidationPipe', () => {
  it('makes the declared class of a body', async () => {
    const note = await run({ text: 'x' }, { type: 'body', metatype: Note });
    expect(note).toBeInstanceOf(Note);
    expect(note).toEqual(untold);
    await expect(run([{ text: 'x' }], { type: 'body', metatype: Note })).rejects.toMatchObject({
      code: 'invalid_field',
    });
  });

  it('makes the declared class of a field of a body, whose faults it names with the field', async () => {
    const metadata = { type: 'body', metatype: Note, data: 'note' };
    expect(await run({ text: 'x' }, metadata)).toBeInstanceOf(Note);
    await expect(run({ text: 7 }, metadata)).rejects.toMatchObject({
      code: 'invalid_field',
      message: expect.stringMatching(/^note\.text: /),
    });
    await expect(run({ text: 'x', other: 1 }, metadata)).rejects.toMatchObject({
      code: 'unknown_field',
      message: expect.stringContaining('note.'),
    });
    await expect(run(undefined, metadata)).rejects.toMatchObject({ code: 'missing_field' });
  });

  it('makes the declared class of a query, and of the parameters of a path', async () => {
    expect(await run(query('limit=5'), { type: 'query', metatype: Paged })).toEqual({ limit: 5 });
    expect(await run(query('limit=5'), { type: 'query', metatype: Paged })).toBeInstanceOf(Paged);
    await expect(run(query('x'), { type: 'query', metatype: Paged })).rejects.toMatchObject({
      code: 'unknown_parameter',
    });
    expect(await run({ limit: '5', other: 'x' }, { type: 'param', metatype: Paged })).toBeInstanceOf(Paged);
    await expect(run({ limit: '0' }, { type: 'param', metatype: Paged })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });

  it('hands on a body or a query as it came to a handler that asks for it by type', async () => {
    const unread: UnreadBody = { read: () => Promise.resolve(1) };
    expect(await run(unread, { type: 'body', metatype: UnreadBody })).toBe(unread);
    expect(await run(query('a=b'), { type: 'query', metatype: URLSearchParams })).toEqual(new URLSearchParams('a=b'));
  });

  it('leaves what only the feature knows: interfaces, lists, custom decorators', async () => {
    expect(await run(untold, { type: 'custom', metatype: Note })).toBe(untold);
    for (const metatype of [Object, Array, undefined])
      expect(await run(untold, { type: 'body', metatype })).toBe(untold);
    expect(await run(query('a=b'), { type: 'query', metatype: Object })).toEqual(
      Object.assign(Object.create(null), { a: 'b' }),
    );
  });

  it.each([
    [Number, '7.5', 7.5],
    [Number, 'seven', undefined],
    [Number, '', undefined],
    [Boolean, 'true', true],
    [Boolean, '1', undefined],
    [BigInt, '9007199254740993', 9007199254740993n],
    [BigInt, '9223372036854775808', undefined],
    [BigInt, '007', undefined],
    [String, '007', '007'],
  ])('makes a %p of the parameter %p', async (metatype, text, made) => {
    for (const type of ['param', 'query']) {
      const running = run(text, { type, metatype, data: 'it' });
      if (made === undefined) await expect(running).rejects.toMatchObject({ code: 'invalid_parameter' });
      else expect(await running).toBe(made);
      expect(await run(text, { type, metatype, data: 'it' }, piped)).toBe(text);
    }
  });

  it.each([
    [String, 'x', 'x'],
    [String, {}, undefined],
    [String, null, undefined],
    [Number, 7, 7],
    [Number, NaN, undefined],
    [Number, '7', undefined],
    [Boolean, false, false],
    [BigInt, 7, 7n],
  ])('takes for a field that is a %p the value %p', async (metatype, value, made) => {
    const running = run(value, { type: 'body', metatype, data: 'it' });
    if (made === undefined) await expect(running).rejects.toMatchObject({ code: 'invalid_field' });
    else expect(await running).toBe(made);
    expect(await run(value, { type: 'body', metatype, data: 'it' }, piped)).toBe(value);
  });

  it('leaves to the pipes of a feature what it cannot check', async () => {
    expect(await run({ text: 7 }, { type: 'body', metatype: Bare }, piped)).toEqual({ text: 7 });
    await expect(run({ text: 7 }, { type: 'body', metatype: Bare })).rejects.toThrow(TypeError);
  });

  it('refuses a query that a middleware has replaced (express#6469)', async () => {
    await expect(run({ limit: '5' }, { type: 'query', metatype: Paged })).rejects.toThrow(TypeError);
  });
});
