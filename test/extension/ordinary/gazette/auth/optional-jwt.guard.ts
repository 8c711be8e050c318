import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Signed } from './jwt.guard.js';
import { TokensService } from './tokens.service.js';

/** For routes that everybody may read, and that show more to a user who is logged in. */
@Injectable()
export class OptionalJwtGuard implements CanActivate {
  constructor(private readonly tokens: TokensService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Signed>();
    const claims = await this.tokens.read(request);
    if (claims) request.user = claims;
    return true;
  }
}
