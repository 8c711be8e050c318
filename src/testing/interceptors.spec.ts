import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  ClassSerializerInterceptor,
  Controller,
  Injectable,
  Module,
  Post,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Exclude } from 'class-transformer';
import { map, type Observable } from 'rxjs';
import { defineFeature, Idempotent } from '../index.js';
import { startTestApplication, type TestApplication } from './index.js';

class Account {
  readonly id = ++made;

  @Exclude()
  readonly password = 'hunter2';
}

let made = 0;

@Injectable()
class Envelope implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

class Creating {
  @Post()
  @Idempotent()
  create(): Account {
    return new Account();
  }
}

@Controller('accounts')
@UseInterceptors(ClassSerializerInterceptor)
class AccountsController extends Creating {
  @Post('outer')
  @Idempotent()
  @UseInterceptors(Envelope)
  createOuter(): Account {
    return new Account();
  }

  @Post('inner')
  @UseInterceptors(Envelope)
  @Idempotent()
  createInner(): Account {
    return new Account();
  }

  @Post('always')
  createAlways(): Account {
    return new Account();
  }
}

/** Inherits its handler from a class. The controller itself has no interceptor. */
@Controller('enveloped')
class PlainController extends Creating {
  @Post('inner')
  @UseInterceptors(Envelope)
  @Idempotent()
  createInner(): { readonly id: number } {
    return { id: ++made };
  }
}

class Opening {
  @Post()
  @Idempotent()
  create(): Account {
    return new Account();
  }
}

@Controller('opened')
class OpenedController extends Opening {}

/**
 * Registered after the controller that shares its handler and has no interceptor; the other controllers are in reverse
 * order.
 */
@Controller('closed')
@UseInterceptors(ClassSerializerInterceptor)
class ClosedController extends Opening {}

@Module({ controllers: [AccountsController, PlainController, OpenedController, ClosedController] })
class AccountsModule {}

const accounts = defineFeature({ name: 'accounts', platform: '^1.0.0', module: AccountsModule });
let application: TestApplication;

beforeAll(async () => {
  application = await startTestApplication({ features: [accounts] });
});

afterAll(() => application.stop());

const bare = { id: expect.any(Number) };

it.each([
  ['accounts', bare],
  ['accounts/outer', { data: bare }],
  ['accounts/inner', { data: bare }],
  ['enveloped', { ...bare, password: 'hunter2' }],
  ['enveloped/inner', { data: bare }],
  ['opened', { ...bare, password: 'hunter2' }],
  ['closed', bare],
])('a repeat of POST %s gets what the interceptors made of the first answer', async (path, expected) => {
  const headers = { 'idempotency-key': path };
  const [first, again] = [
    await application.client.post(`/v1/${path}`, undefined, { headers }),
    await application.client.post(`/v1/${path}`, undefined, { headers }),
  ];
  expect(first.json()).toEqual(expected);
  expect([again.status, again.text]).toStrictEqual([first.status, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

it('other handlers of the controller answer each time anew', async () => {
  const headers = { 'idempotency-key': 'one' };
  const post = async (): Promise<unknown> =>
    (await application.client.post('/v1/accounts/always', undefined, { headers })).json();
  const first = await post();
  expect(first).toEqual(bare);
  expect(await post()).not.toEqual(first);
});
