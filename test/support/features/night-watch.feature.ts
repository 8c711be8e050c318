import {
  Controller,
  Get,
  Inject,
  Injectable,
  Logger,
  Module,
  type MiddlewareConsumer,
  type NestMiddleware,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { Cron, CronExpression, Interval, ScheduleModule } from '@nestjs/schedule';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature, LOG, type Log } from 'animal-store';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Column,
  DataSource,
  Entity,
  PrimaryGeneratedColumn,
  type EntitySubscriberInterface,
  type MigrationInterface,
  type QueryRunner,
  type Repository,
} from 'typeorm';

@Entity('patrol')
class Patrol {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 10 })
  street: string;
}

class CreatePatrols1764302000000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<unknown> {
    const id = `id INTEGER PRIMARY KEY${runner.dataSource.options.type === 'mysql' ? ' AUTO_INCREMENT' : ''}`;
    return runner.query(`CREATE TABLE patrol (${id}, street VARCHAR(10) NOT NULL)`);
  }
  down(runner: QueryRunner): Promise<unknown> {
    return runner.query('DROP TABLE patrol');
  }
}

@Injectable()
class PatrolSubscriber implements EntitySubscriberInterface<Patrol> {
  private readonly logger = new Logger(PatrolSubscriber.name);

  constructor(dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  listenTo(): typeof Patrol {
    return Patrol;
  }

  afterInsert(): void {
    this.logger.log('A patrol is written down');
    // A context that is not the name of a class.
    new Logger('patrols').log('A patrol is written down once more');
  }
}

@Injectable()
class NightSchedule {
  private readonly logger = new Logger(NightSchedule.name);

  constructor(@InjectRepository(Patrol) private readonly patrols: Repository<Patrol>) {}

  @Interval(200)
  async goRound(): Promise<void> {
    new Logger('rounds').log('A patrol goes round');
    await this.patrols.save({ street: 'Elm' });
  }

  @Cron(CronExpression.EVERY_SECOND)
  ringBell(): void {
    this.logger.log('The bell rings');
  }
}

/** A scheduled job, which runs outside of any request. */
@Injectable()
class NightJob implements OnModuleInit {
  private readonly logger = new Logger(NightJob.name);

  constructor(@Inject(LOG) private readonly log: Log) {}

  onModuleInit(): void {
    setTimeout(() => void this.look(), 20);
  }

  private async look(): Promise<void> {
    await sleep(1);
    this.logger.log('The night is quiet');
    this.logger.log({ event: 'night.counted', owls: 2 });
    this.logger.error({ err: new Error('The lamp is out') });
    this.log.info('It is written by the service’s own log');
  }
}

@Injectable()
class NightMiddleware implements NestMiddleware {
  use(_request: unknown, _response: unknown, next: () => void): void {
    new Logger().log('Somebody passes');
    next();
  }
}

@Controller('nights')
class NightsController {
  @Get()
  listNights(): object[] {
    new Logger(NightsController.name).log('Nights are listed', { nights: 1 });
    return [];
  }
}

@Module({
  imports: [ScheduleModule.forRoot(), TypeOrmModule.forFeature([Patrol])],
  controllers: [NightsController],
  providers: [NightJob, NightSchedule, PatrolSubscriber],
})
class NightWatchModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(NightMiddleware).forRoutes('nights');
  }
}

export const nightWatch = defineFeature({
  name: 'night-watch',
  platform: '^1.0.0',
  module: NightWatchModule,
  migrations: [CreatePatrols1764302000000],
});
