import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature, LOG, type Log } from 'animal-store';
import { Column, DataSource, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

@Entity('almanac_day')
class Day {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'varchar', length: 50 })
  name: string;
}

class CreateDays1764300400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const engine = runner.dataSource.options.type === 'mysql' ? ' ENGINE = InnoDB' : '';
    await runner.query(`CREATE TABLE almanac_day (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(50) NOT NULL)${engine}`);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE almanac_day');
  }
}

/** Reads and writes its table in every hook of its start, and in a job. */
@Injectable()
class Almanac implements OnModuleInit, OnApplicationBootstrap {
  private days = 0n;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.note('init');
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.note('bootstrap');
  }

  @Interval(20)
  async tick(): Promise<void> {
    if (this.days < 3n) await this.note('tick');
  }

  async names(): Promise<unknown[]> {
    const rows = await this.dataSource.query<{ name: string }[]>('SELECT name FROM almanac_day ORDER BY id');
    return rows.map(({ name }) => name);
  }

  private async note(name: string): Promise<void> {
    this.log.info({ event: 'almanac.noted', name }, 'Noted');
    this.days += 1n;
    await this.dataSource.query('INSERT INTO almanac_day (id, name) VALUES (?, ?)', [this.days, name]);
  }
}

@Controller('almanac')
class AlmanacController {
  constructor(private readonly almanac: Almanac) {}

  @Get()
  listDays(): Promise<unknown[]> {
    return this.almanac.names();
  }
}

@Module({
  imports: [ScheduleModule.forRoot(), TypeOrmModule.forFeature([Day])],
  controllers: [AlmanacController],
  providers: [Almanac],
})
class AlmanacModule {}

export const almanac = defineFeature({
  name: 'almanac',
  platform: '^1.0.0',
  module: AlmanacModule,
  migrations: [CreateDays1764300400000],
});
