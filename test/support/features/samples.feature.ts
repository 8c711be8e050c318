import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature, Int64Column } from 'animal-store';
import { IsString } from 'class-validator';
import {
  Column,
  DataSource,
  Entity,
  PrimaryGeneratedColumn,
  Repository,
  Table,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';

/** A column of each type that every engine has, named by the type as docs/extending names it. */
@Entity('sample')
class Sample {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'int' })
  int: number;

  @Int64Column({ name: 'bigint' })
  bigint: bigint;

  @Column({ type: 'bigint', name: 'bigint_text' })
  bigintText: string;

  @Column({ type: 'decimal', precision: 15, scale: 2 })
  decimal: string;

  @Column({ type: 'double' })
  double: number;

  @Column({ type: 'boolean' })
  boolean: boolean;

  @Column({ type: 'datetime', precision: 3 })
  datetime: Date;

  @Column({ type: 'date' })
  date: string;

  @Column({ type: 'time' })
  time: string;

  @Column({ type: 'json' })
  json: object;

  @Column({ type: 'simple-array', name: 'simple_array' })
  simpleArray: string[];

  @Column({ type: 'simple-enum', enum: ['small', 'large'], name: 'simple_enum' })
  simpleEnum: string;

  @Column({ type: 'uuid' })
  uuid: string;

  @Column({ type: 'blob' })
  blob: Buffer;

  @Column({ type: 'text' })
  text: string;

  @Column({ type: 'varchar', length: 20 })
  varchar: string;
}

class CreateSamples1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { dataSource } = runner;
    await runner.createTable(Table.create(dataSource.getMetadata(Sample), dataSource.driver));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('sample');
  }
}

const WRITTEN = {
  int: -7,
  bigint: 9007199254740993n,
  bigintText: '-9223372036854775808',
  decimal: '9999999999999.985',
  double: 0.1,
  boolean: true,
  datetime: new Date('2026-01-02T03:04:05.678Z'),
  date: '2026-01-02',
  time: '03:04:05',
  json: { list: [1, 'two', null], nested: { yes: true } },
  simpleArray: ['a', 'b'],
  simpleEnum: 'large',
  uuid: '6f8a0e0c-2f62-4c8f-9d0e-0d1a2b3c4d5e',
  blob: Buffer.from([0, 128, 255]),
  text: 5 as unknown as string,
  varchar: 1.5 as unknown as string,
};

interface Kind {
  readonly kind: string;
  readonly value: unknown;
}

function kindOf(value: unknown): Kind {
  if (Buffer.isBuffer(value)) return { kind: 'Buffer', value: [...value] };
  if (value instanceof Date) return { kind: 'Date', value: value.toISOString() };
  return {
    kind: Array.isArray(value) ? 'array' : typeof value,
    value: typeof value === 'bigint' ? String(value) : value,
  };
}

@Injectable()
class Samples {
  constructor(
    @InjectRepository(Sample) private readonly samples: Repository<Sample>,
    private readonly dataSource: DataSource,
  ) {}

  /** Reads the same row by a repository and by SQL. */
  async roundTrip(): Promise<object> {
    const { id } = await this.samples.save(this.samples.create(WRITTEN));
    const entity = await this.samples.findOneByOrFail({ id });
    const [row = {}] = await this.dataSource.query<object[]>('SELECT * FROM sample WHERE id = ?', [id]);
    const kinds = (object: object): object =>
      Object.fromEntries(Object.entries(object).map(([name, value]) => [name, kindOf(value)]));
    return { entity: kinds(entity), raw: kinds(row) };
  }

  async decimal(value: string): Promise<string> {
    const { id } = await this.samples.save(this.samples.create({ ...WRITTEN, decimal: value }));
    return (await this.samples.findOneByOrFail({ id })).decimal;
  }
}

class DecimalBody {
  @IsString()
  value: string;
}

@Controller('samples')
class SamplesController {
  constructor(private readonly samples: Samples) {}

  @Post()
  roundTrip(): Promise<object> {
    return this.samples.roundTrip();
  }

  @Post('decimals')
  async decimal(@Body() { value }: DecimalBody): Promise<{ stored: string }> {
    return { stored: await this.samples.decimal(value) };
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Sample])], controllers: [SamplesController], providers: [Samples] })
class SamplesModule {}

export const samples = defineFeature({
  name: 'samples',
  platform: '^1.0.0',
  module: SamplesModule,
  migrations: [CreateSamples1764500000000],
});
