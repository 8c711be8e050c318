import { Injectable, UnauthorizedException } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { Request } from 'express';

export interface Claims {
  readonly id: number;
  readonly username: string;
}

@Injectable()
export class TokensService {
  constructor(private readonly jwt: JwtService) {}

  sign({ id, username }: Claims): Promise<string> {
    return this.jwt.signAsync({ id, username });
  }

  async read(request: Request): Promise<Claims | undefined> {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const [scheme, token = ''] = header.split(' ');
    if (scheme !== 'Bearer') return undefined;
    try {
      return await this.jwt.verifyAsync<Claims>(token);
    } catch {
      throw new UnauthorizedException('The session is not valid');
    }
  }
}
