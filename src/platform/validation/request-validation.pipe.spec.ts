import { describe, expect, it } from '@jest/globals';
import type { ArgumentMetadata } from '@nestjs/common';
import { ApiError, coreErrors } from '../errors/index.js';
import { IntegerParameter, StringProperty } from './index.js';
import { RequestValidationPipe } from './request-validation.pipe.js';
import { UnreadBody } from './unread-body.js';

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
const body = (value: unknown): UnreadBody => ({ read: () => Promise.resolve(value) });
/** As Nest awaits it. */
const run = async (value: unknown, metadata: object): Promise<unknown> =>
  await pipe.transform(value, metadata as ArgumentMetadata);

describe('RequestValidationPipe', () => {
  it('reads a body and makes the declared class of it', async () => {
    const note = await run(body({ text: 'x' }), { type: 'body', metatype: Note });
    expect(note).toBeInstanceOf(Note);
    expect(note).toEqual(untold);
    await expect(run(body([{ text: 'x' }]), { type: 'body', metatype: Note })).rejects.toMatchObject({
      code: 'invalid_field',
    });
  });

  it('passes on why a body cannot be read', async () => {
    const unreadable: UnreadBody = { read: () => Promise.reject(new ApiError(coreErrors.bodyRequired)) };
    await expect(run(unreadable, { type: 'body', metatype: Note })).rejects.toMatchObject({ code: 'body_required' });
  });

  it('makes the declared class of a query', async () => {
    const query = new URLSearchParams('limit=5');
    expect(await run(query, { type: 'query', metatype: Paged })).toEqual({ limit: 5 });
    expect(await run(query, { type: 'query', metatype: Paged })).toBeInstanceOf(Paged);
    await expect(run(new URLSearchParams('x'), { type: 'query', metatype: Paged })).rejects.toMatchObject({
      code: 'unknown_parameter',
    });
  });

  it('hands on a body or a query as it came to a handler that asks for it by type', async () => {
    const unread = body(1);
    const query = new URLSearchParams('a=b');
    expect(await run(unread, { type: 'body', metatype: UnreadBody })).toBe(unread);
    expect(await run(query, { type: 'query', metatype: URLSearchParams })).toBe(query);
  });

  it('leaves path parameters and custom ones alone', async () => {
    expect(await run('007', { type: 'param', data: 'petId', metatype: Number })).toBe('007');
    expect(await run(untold, { type: 'custom', metatype: Note })).toBe(untold);
  });

  it.each([
    ["@Body('text')", { type: 'body', metatype: String, data: 'text' }],
    ["@Body('note') of a class", { type: 'body', metatype: Note, data: 'note' }],
    ["@Query('page') of a class", { type: 'query', metatype: Paged, data: 'page' }],
    ['@Body() of a list', { type: 'body', metatype: Array }],
    ['@Body() of an interface', { type: 'body', metatype: Object }],
    ['@Body() without a type', { type: 'body' }],
    ['@Body() of a class without decorators', { type: 'body', metatype: Bare }],
    ["@Query('limit')", { type: 'query', metatype: Number, data: 'limit' }],
    ['@Query() of an interface', { type: 'query', metatype: Object }],
  ])('refuses to pass unchecked input: %s', async (_, metadata) => {
    const value = metadata.type === 'body' ? body({ text: 'x' }) : new URLSearchParams();
    await expect(run(value, metadata)).rejects.toThrow(TypeError);
  });

  it('refuses a query that a middleware has replaced (express#6469)', async () => {
    await expect(run({ limit: '5' }, { type: 'query', metatype: Paged })).rejects.toThrow(TypeError);
  });
});
