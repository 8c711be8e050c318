import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApiError, coreErrors } from '../errors/index.js';
import type { Principal } from '../http/index.js';
import type { Allowance, Limits } from '../limits/index.js';
import { Refusal, type Authenticator } from './authenticator.js';
import type { KeyAudit, KeyEvent } from './key-audit.js';

// Only the HTTP adapter can attach an exchange to a request.
const http = await import('../http/index.js');
jest.unstable_mockModule('../http/index.js', () => ({
  ...http,
  exchangeOf: (request: FakeRequest) => request.exchange,
}));
const { ApiKeyGuard } = await import('./api-key.guard.js');

interface FakeRequest {
  readonly rawHeaders: string[];
  readonly exchange: {
    readonly clientAddress: string;
    route?: { open?: boolean; scopes: string[] };
    principal?: Principal;
  };
}

const READER: Principal = { keyId: 'reader00', client: 'acme', scopes: ['pets:read'] };
const MASTER: Principal = { keyId: 'master00', client: 'acme', scopes: ['*'] };

let verdict: Principal | Refusal | Promise<Principal | Refusal>;
let authenticate: jest.Mock<Authenticator['authenticate']>;
let events: KeyEvent[];
let count: jest.Mock<Limits['countFailure']>;
let countClient: jest.Mock<Limits['count']>;
let request: FakeRequest;

beforeEach(() => {
  verdict = READER;
  authenticate = jest.fn(() => verdict);
  events = [];
  count = jest.fn<Limits['countFailure']>();
  countClient = jest.fn<Limits['count']>();
  request = { rawHeaders: ['Host', 'x'], exchange: { clientAddress: '203.0.113.7', route: { scopes: [] } } };
});

function enter(): boolean | Promise<boolean> {
  const audit: KeyAudit = { record: (event) => events.push(event) };
  const limits = { countFailure: count, count: countClient } as unknown as Limits;
  const guard = new ApiKeyGuard({ authenticate } as unknown as Authenticator, audit, limits);
  return guard.canActivate({ switchToHttp: () => ({ getRequest: () => request }) } as ExecutionContext);
}

async function failure(): Promise<ApiError> {
  try {
    await enter();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('The request was let in');
}

describe('a route', () => {
  it('is open only where it is declared open', () => {
    request.exchange.route = { open: true, scopes: [] };
    verdict = Refusal.missing();
    expect(enter()).toBe(true);
    expect(authenticate).not.toHaveBeenCalled();
  });

  it.each([
    ['with no decorator', { scopes: [] }],
    ['that no feature declares', undefined],
  ])('%s is closed to a request without a key, open to any key', async (_name, route) => {
    if (route === undefined) delete request.exchange.route;
    else request.exchange.route = route;
    expect(enter()).toBe(true);
    verdict = Refusal.missing();
    expect((await failure()).code).toBe('missing_api_key');
  });
});

describe('a good key', () => {
  it('puts its principal on the exchange, and answers at once where the verdict is there', () => {
    expect(enter()).toBe(true);
    expect(request.exchange.principal).toBe(READER);
    expect(authenticate).toHaveBeenCalledWith(request.rawHeaders);
    expect(events).toEqual([]);
  });

  it('is waited for where the database must be asked', async () => {
    verdict = Promise.resolve(READER);
    const entered = enter();
    expect(request.exchange.principal).toBeUndefined();
    expect(await entered).toBe(true);
    expect(request.exchange.principal).toBe(READER);
  });

  it.each([
    [READER, ['pets:read']],
    [MASTER, ['pets:read', 'pets:write']],
  ])('with its scopes is let in: %j to %j', (principal, scopes) => {
    verdict = principal;
    request.exchange.route = { scopes };
    expect(enter()).toBe(true);
  });

  it('without a scope is told all that are needed', async () => {
    request.exchange.route = { scopes: ['pets:read', 'pets:write'] };
    const error = await failure();
    expect(error.kind).toBe(coreErrors.insufficientScope);
    expect(error.headers['WWW-Authenticate']).toBe(
      'Bearer realm="animal-store", error="insufficient_scope", scope="pets:read pets:write"',
    );
    expect(events).toEqual([
      { event: 'auth.failed', reason: 'insufficient_scope', keyId: 'reader00', address: '203.0.113.7' },
    ]);
    expect(count).not.toHaveBeenCalled();
    expect(countClient.mock.calls).toEqual([[request.exchange]]);
  });

  it('without a scope is answered once it is counted, where that takes its time', async () => {
    request.exchange.route = { scopes: ['pets:write'] };
    const counted = Promise.withResolvers<Allowance>();
    countClient.mockReturnValue(counted.promise);
    let answered = false;
    const failing = failure().finally(() => (answered = true));
    await new Promise(setImmediate);
    expect(answered).toBe(false);
    counted.resolve({ allowed: true, remaining: 1, resetSeconds: 1 });
    expect((await failing).kind).toBe(coreErrors.insufficientScope);
  });
});

describe('a bad key', () => {
  it.each([
    ['at once', () => Refusal.invalid('unknown', 'guess000')],
    ['later', async () => Refusal.invalid('unknown', 'guess000')],
  ])('is refused %s, told to the audit and counted', async (_name, refuse) => {
    verdict = refuse();
    expect((await failure()).code).toBe('invalid_api_key');
    expect(events).toEqual([{ event: 'auth.failed', reason: 'unknown', keyId: 'guess000', address: '203.0.113.7' }]);
    expect(count.mock.calls).toEqual([['203.0.113.7']]);
    expect(request.exchange.principal).toBeUndefined();
  });

  it('is answered with what the limit says, and told to the audit all the same', async () => {
    verdict = Refusal.expired('expired0');
    count.mockResolvedValue(new ApiError(coreErrors.rateLimited));
    expect((await failure()).code).toBe('rate_limited');
    expect(events).toMatchObject([{ reason: 'expired', keyId: 'expired0' }]);
  });

  it('is counted for its whole network where it comes from IPv6', async () => {
    request = { ...request, exchange: { ...request.exchange, clientAddress: '2001:db8::7' } };
    verdict = Refusal.invalid('unknown');
    await failure();
    expect(count.mock.calls).toEqual([['2001:db8:0:0::/64']]);
    expect(events).toEqual([expect.objectContaining({ address: '2001:db8::7' })]);
  });
});

describe('no key', () => {
  it('is told to the audit and never counted as a guess', async () => {
    verdict = Refusal.missing();
    expect((await failure()).code).toBe('missing_api_key');
    expect(events).toMatchObject([{ event: 'auth.failed', reason: 'missing', keyId: undefined }]);
    expect(count).not.toHaveBeenCalled();
  });
});

describe('a database that cannot be asked', () => {
  it('is no reason to refuse the key', async () => {
    verdict = Promise.reject(new ApiError(coreErrors.serviceUnavailable));
    expect((await failure()).code).toBe('service_unavailable');
    expect(events).toEqual([]);
    expect(count).not.toHaveBeenCalled();
  });
});
