import { Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { TokensService, type Claims } from './tokens.service.js';

export type Signed = Request & { user?: Claims };

@Injectable()
export class JwtGuard implements CanActivate {
  constructor(private readonly tokens: TokensService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Signed>();
    const claims = await this.tokens.read(request);
    if (!claims) throw new UnauthorizedException('Log in first');
    request.user = claims;
    return true;
  }
}
