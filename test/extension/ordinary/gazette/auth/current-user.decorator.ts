import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Signed } from './jwt.guard.js';
import type { Claims } from './tokens.service.js';

/** The user who is logged in, or one field of that user. */
export const CurrentUser = createParamDecorator((field: keyof Claims | undefined, context: ExecutionContext) => {
  const { user } = context.switchToHttp().getRequest<Signed>();
  return field === undefined ? user : user?.[field];
});
