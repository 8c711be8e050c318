import {
  Controller,
  Get,
  HttpException,
  Module,
  Param,
  Post,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiError, defineErrorCode, defineFeature, Raises } from 'animal-store';
import type { NextFunction, Request, Response } from 'express';
import { Column, DataSource, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

/** If a part of this text reaches a client, the service has leaked it. */
const SECRET = 'canary-4711';

const teapot = defineErrorCode('tea_only', 'conflict', 'There is only tea.');

/** Every kind of value that code throws, by name. */
const things: Readonly<Record<string, () => unknown>> = {
  error: () => new Error(SECRET),
  string: () => SECRET,
  number: () => 404,
  null: () => null,
  undefined: () => undefined,
  symbol: () => Symbol(SECRET),
  object: () => ({ status: 404, code: SECRET, message: SECRET }),
  statusOk: () => Object.assign(new Error(SECRET), { status: 200, statusCode: 200 }),
  statusFound: () => Object.assign(new Error(SECRET), { status: 302, expose: true }),
  statusOwn: () => Object.assign(new Error(SECRET), { status: 404 }),
  nestOk: () => new HttpException(SECRET, 200),
  nestTeapot: () => new HttpException({ secret: SECRET }, 418),
  unreadable: () =>
    new Proxy(new Error(SECRET), {
      get() {
        throw new Error(SECRET);
      },
    }),
  own: () => new ApiError(teapot),
};

@Entity('widget')
class Widget {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'varchar', length: 50 })
  name: string;
}

class CreateWidgets1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const engine = runner.dataSource.options.type === 'mysql' ? ' ENGINE = InnoDB' : '';
    await runner.query(`CREATE TABLE widget (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(50) NOT NULL)${engine}`);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE widget');
  }
}

@Controller('throws')
class ThrowsController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('now/:thing')
  @Raises(teapot)
  throwNow(@Param('thing') thing: string): never {
    throw things[thing]?.();
  }

  @Get('soon/:thing')
  @Raises(teapot)
  async throwSoon(@Param('thing') thing: string): Promise<never> {
    await Promise.resolve();
    throw things[thing]?.();
  }

  @Post('duplicate')
  async insertTwice(): Promise<void> {
    const insert = 'INSERT INTO widget (id, name) VALUES (?, ?)';
    await this.dataSource.query(insert, [1n, SECRET]);
    await this.dataSource.query(insert, [1n, SECRET]);
  }

  @Post('syntax')
  async selectNonsense(): Promise<void> {
    await this.dataSource.query(`SELEKT '${SECRET}' FROM widget`);
  }

  @Post('half')
  async failHalfway(): Promise<void> {
    await this.dataSource.transaction(async () => {
      await this.dataSource.query('INSERT INTO widget (id, name) VALUES (?, ?)', [2n, SECRET]);
      throw new Error(SECRET);
    });
  }

  /** Answers, and leaves an unhandled rejection behind. */
  @Post('later/rejection')
  rejectLater(): object {
    setTimeout(() => void Promise.reject(new Error('rejected later')), 20);
    return {};
  }

  @Post('later/exception')
  throwLater(): object {
    setTimeout(() => {
      throw new Error('thrown later');
    }, 20);
    return {};
  }

  @Get('slow')
  async answerSlowly(): Promise<object> {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return { slow: true };
  }
}

/** Middleware that throws on request. */
function trip(request: Request, _response: Response, next: NextFunction): void {
  const asked = request.headers['x-middleware-throws'];
  if (typeof asked !== 'string') return next();
  if (asked.startsWith('next:')) return next(things[asked.slice(5)]?.());
  throw things[asked]?.();
}

@Module({ imports: [TypeOrmModule.forFeature([Widget])], controllers: [ThrowsController] })
class ThrowsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(trip).forRoutes(ThrowsController);
  }
}

export const thrower = defineFeature({
  name: 'thrower',
  platform: '^1.0.0',
  module: ThrowsModule,
  migrations: [CreateWidgets1764300000000],
  errors: [teapot],
});
