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
import { defineFeature, LOG, type Log } from 'animal-store';
import { setTimeout as sleep } from 'node:timers/promises';

/** As a job of a schedule: no request is there. */
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

@Module({ controllers: [NightsController], providers: [NightJob] })
class NightWatchModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(NightMiddleware).forRoutes('nights');
  }
}

export const nightWatch = defineFeature({ name: 'night-watch', platform: '^1.0.0', module: NightWatchModule });
