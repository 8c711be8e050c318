import { HttpException } from '@nestjs/common';

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

export function problem(status: number, code: string, message: string): HttpException {
  return new HttpException({ code, message, status } satisfies Problem, status);
}
