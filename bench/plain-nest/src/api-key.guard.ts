import { Injectable, SetMetadata, type CanActivate, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { problem } from './problem.js';

export const Scope = (scope: string): CustomDecorator => SetMetadata('scope', scope);
export const Open = (): CustomDecorator => SetMetadata('open', true);

/** Scopes by the SHA-256 of their key. */
const keys = JSON.parse(process.env['API_KEYS'] ?? '{}') as Record<string, string[]>;

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get<boolean>('open', context.getHandler())) return true;
    const http = context.switchToHttp();
    const [, key] = /^Bearer +(\S+)$/i.exec(http.getRequest<Request>().headers.authorization ?? '') ?? [];
    const response = http.getResponse<Response>();
    const challenge = 'Bearer realm="animal-store"';
    if (key === undefined) {
      response.setHeader('WWW-Authenticate', challenge);
      throw problem(401, 'missing_api_key', 'Send an API key in the Authorization header.');
    }
    const scopes = keys[createHash('sha256').update(key).digest('hex')];
    if (scopes === undefined) {
      response.setHeader('WWW-Authenticate', `${challenge}, error="invalid_token"`);
      throw problem(401, 'invalid_api_key', 'The API key is not valid.');
    }
    const scope = this.reflector.get<string>('scope', context.getHandler());
    if (!scopes.includes(scope)) {
      response.setHeader('WWW-Authenticate', `${challenge}, error="insufficient_scope", scope="${scope}"`);
      throw problem(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`);
    }
    return true;
  }
}
