import {
  Controller,
  Get,
  Injectable,
  Logger,
  Module,
  type MiddlewareConsumer,
  type NestMiddleware,
  type NestModule,
} from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Cron, CronExpression, Interval, ScheduleModule } from '@nestjs/schedule';

/** Writes log lines as ordinary modules do: by a Logger with the name of its class. */
@Injectable()
class DiaryService {
  private readonly logger = new Logger(DiaryService.name);

  constructor(private readonly events: EventEmitter2) {}

  read(): string[] {
    this.logger.log('The diary is read');
    this.logger.warn('The ink fades', { page: 7 });
    this.logger.log({ event: 'diary.read', pages: 2 });
    this.logger.error({ err: new Error('A page is missing') });
    this.logger.error('A page is torn', new Error('torn').stack);
    this.events.emit('diary.read');
    return ['Monday', 'Tuesday'];
  }

  @OnEvent('diary.read')
  noteReader(): void {
    this.logger.log('A reader is noted');
  }
}

@Injectable()
class DiarySchedule {
  private readonly logger = new Logger(DiarySchedule.name);

  @Interval(50)
  turnPage(): void {
    this.logger.log('A page is turned');
  }

  @Cron(CronExpression.EVERY_SECOND)
  writePage(): void {
    this.logger.log('A page is written');
  }
}

@Injectable()
class DiaryMiddleware implements NestMiddleware {
  private readonly logger = new Logger(DiaryMiddleware.name);

  use(_request: unknown, _response: unknown, next: () => void): void {
    this.logger.log('The diary is opened');
    next();
  }
}

@Controller('diary')
class DiaryController {
  private readonly logger = new Logger(DiaryController.name);

  constructor(private readonly diary: DiaryService) {}

  @Get()
  findAll() {
    this.logger.log('Somebody asks for the diary');
    return this.diary.read();
  }
}

@Module({
  imports: [ScheduleModule.forRoot(), EventEmitterModule.forRoot()],
  controllers: [DiaryController],
  providers: [DiaryService, DiarySchedule],
})
export class DiaryModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(DiaryMiddleware).forRoutes(DiaryController);
  }
}
