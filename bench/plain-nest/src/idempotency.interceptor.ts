import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { exactNumber, rawBigint } from './exact-json.js';
import { problem } from './problem.js';

interface Row {
  readonly request: string;
  readonly answer: string;
}

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly dataSource: DataSource) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.get('idempotency-key');
    if (key === undefined) return next.handle();
    const id = `${request.headers.authorization ?? ''} ${key}`;
    return from(this.once(id, JSON.stringify(request.body, rawBigint), context.switchToHttp().getResponse(), next));
  }

  private async once(id: string, request: string, response: Response, next: CallHandler): Promise<unknown> {
    const [known] = await this.dataSource.query<Row[]>('SELECT request, answer FROM idempotency WHERE id = ?', [id]);
    if (known !== undefined) {
      if (known.request !== request)
        throw problem(422, 'idempotency_key_reused', 'The key was used with another body.');
      response.setHeader('Idempotent-Replayed', 'true');
      return JSON.parse(known.answer, exactNumber) as unknown;
    }
    const answer: unknown = await lastValueFrom(next.handle());
    const values = [id, request, JSON.stringify(answer, rawBigint)];
    await this.dataSource.query('INSERT INTO idempotency (id, request, answer) VALUES (?, ?, ?)', values);
    return answer;
  }
}
