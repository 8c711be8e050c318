import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, Inject, Module, Param, Post } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  ApiError,
  BodyLimit,
  defineErrorCode,
  defineFeature,
  Idempotent,
  IntegerProperty,
  LOG,
  Raises,
  TextProperty,
  UnreadBody,
  type Log,
} from 'animal-store';
import { Column, DataSource, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

const unlucky = defineErrorCode('unlucky', 'conflict', 'Try once more.');

class NewTask {
  @TextProperty({ maxLength: 50 })
  name: string;

  /** Milliseconds that the work takes after its row is written and before the commit. */
  @IntegerProperty({ minimum: 0, maximum: 60_000 })
  waitMs: number;
}

@Entity('task')
class Task {
  @PrimaryColumn({ type: 'varchar', length: 50 })
  name: string;

  @Column({ type: 'bigint', name: 'wait_ms' })
  waitMs: bigint;
}

class CreateTasks1764300100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const engine = runner.dataSource.options.type === 'mysql' ? ' ENGINE = InnoDB' : '';
    await runner.query(`CREATE TABLE task (name VARCHAR(50) NOT NULL, wait_ms BIGINT NOT NULL)${engine}`);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE task');
  }
}

/** Work that takes a while and must be done once. */
@Controller()
class TasksController {
  private luck = 0;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOG) private readonly log: Log,
  ) {}

  @Post('tasks')
  @Idempotent()
  async createTask(@Body() { name, waitMs }: NewTask): Promise<object> {
    await this.write(name, waitMs);
    this.log.info({ event: 'task.written', name }, 'A task is written and not committed');
    await sleep(waitMs);
    return { name, waitMs };
  }

  @Post('chores')
  @Idempotent()
  @BodyLimit(65_536)
  async createChore(@Body() { name, waitMs }: NewTask): Promise<object> {
    await this.write(name, waitMs);
    return { name, chore: true };
  }

  /** Fails after its write, except for the third time. */
  @Post('gambles')
  @Idempotent()
  @Raises(unlucky)
  async createGamble(@Body() { name, waitMs }: NewTask): Promise<object> {
    await this.write(name, waitMs);
    this.luck += 1;
    if (this.luck < 3) throw new ApiError(unlucky);
    return { name };
  }

  /** Has no body: the path names the task. */
  @Post('tasks/:name/repeat')
  @Idempotent()
  async repeatTask(@Param('name') name: string): Promise<object> {
    await this.write(name, 0);
    return { name, repeated: true };
  }

  /** Takes any JSON. */
  @Post('notes')
  @Idempotent()
  async createNote(@Body() note: UnreadBody): Promise<object> {
    await this.write('note', 0);
    return { note: await note.read() };
  }

  @Get('tasks')
  async listTasks(): Promise<object> {
    return this.dataSource.query('SELECT name FROM task');
  }

  private async write(name: string, waitMs: number): Promise<void> {
    await this.dataSource.query('INSERT INTO task (name, wait_ms) VALUES (?, ?)', [name, BigInt(waitMs)]);
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Task])], controllers: [TasksController] })
class TasksModule {}

export const tasks = defineFeature({
  name: 'tasks',
  platform: '^1.0.0',
  module: TasksModule,
  migrations: [CreateTasks1764300100000],
  errors: [unlucky],
});
