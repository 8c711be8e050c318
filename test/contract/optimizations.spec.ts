import { beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiDocument, type Operation } from '../support/api-document.js';
import { PATIENT, runCommand } from '../support/command.js';
import { onEachEngine } from '../support/engines.js';
import { type GeneratedRequest, RequestGenerator } from '../support/generated-requests.js';
import type { Answer } from '../support/http.js';
import { serveOn } from '../support/served.js';

/** The names of all optimizations, from the error message for an unknown one. */
const { stderr } = await runCommand({ url: 'sqlite:unused.sqlite' }, ['config'], { OPTIMIZATIONS_OFF: 'all' });
const OPTIMIZATIONS = (/must be some of (.+), with commas between/.exec(stderr)?.[1] ?? '').split(', ');

/** Headers that differ between any two answers. */
const DIFFERING = ['date', 'x-request-id', 'ratelimit', 'ratelimit-policy'];

const comparable = ({ status, headers, text }: Answer): object => ({
  status,
  headers: [...headers].filter(([name]) => !DIFFERING.includes(name)),
  text,
});

/** Node's client refuses header values with other characters. */
const canBeSent = ({ headers }: GeneratedRequest): boolean =>
  headers.every(([, value]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value));

it('there are optimizations to turn off', () => {
  expect(OPTIMIZATIONS).toContain('batching');
});

onEachEngine('with its optimizations and without them', (engine) => {
  const env = { ...PATIENT, RATE_LIMIT_PER_MINUTE: '0', PUBLIC_BASE_URL: 'https://pets.test/v1' };
  const fast = serveOn(engine, { ...env, OPTIMIZATIONS_OFF: undefined });
  const plain = serveOn(engine, { ...env, OPTIMIZATIONS_OFF: OPTIMIZATIONS.join() });
  let operations: readonly Operation[];
  let generator: RequestGenerator;

  beforeAll(async () => {
    const document = new ApiDocument((await fast.stranger.get('/openapi.json')).text);
    operations = document.operations;
    generator = new RequestGenerator(document);
  });

  async function answersTo({ method }: Operation, request: GeneratedRequest): Promise<object[]> {
    const headers = Object.fromEntries(request.headers.filter(([name]) => name.toLowerCase() !== 'authorization'));
    const target = `/v1${request.target}`;
    const options = { headers, ...(request.body !== undefined && { body: request.body }) };
    return Promise.all(
      [fast, plain].map(async ({ client }) => comparable(await client.request(method, target, options))),
    );
  }

  it('the service answers what may be asked, and what may not, with the same status, headers and bytes', async () => {
    const asked = fc.constantFrom(...operations).chain((operation) => {
      const broken = generator.broken(operation).filter(canBeSent);
      const request = fc.oneof(generator.valid(operation), fc.constantFrom(...broken));
      return request.map((one) => [operation, one] as const);
    });
    await fc.assert(
      fc.asyncProperty(asked, async ([operation, request]) => {
        const [one, other] = await answersTo(operation, request);
        expect(one).toStrictEqual(other);
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it('the service answers what is read at the same time alike', async () => {
    const reads = operations.filter(({ method }) => method === 'GET');
    const requests = reads.flatMap((operation) =>
      fc.sample(generator.valid(operation), 40).map((request) => ({ operation, request })),
    );
    const twice = [...requests, ...requests];
    const answers = await Promise.all(twice.map(({ operation, request }) => answersTo(operation, request)));
    expect(answers.map(([one]) => one)).toStrictEqual(answers.map(([, other]) => other));
  });
});
