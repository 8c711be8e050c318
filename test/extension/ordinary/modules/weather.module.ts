import { CacheInterceptor, CacheModule, CacheTTL } from '@nestjs/cache-manager';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Post,
  Scope,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type MiddlewareConsumer,
  type NestInterceptor,
  type NestModule,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { ConfigModule, ConfigService, registerAs, type ConfigType } from '@nestjs/config';
import { Reflector, REQUEST } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import type { NextFunction, Request, Response } from 'express';
import { map, type Observable } from 'rxjs';

const weatherConfig = registerAs('weather', () => ({ unit: process.env['WEATHER_UNIT'] ?? 'celsius' }));
const Stations = (...stations: string[]) => SetMetadata('stations', stations);

/** The order of events, and the counts of the module. */
@Injectable()
class Journal implements OnModuleInit, OnApplicationBootstrap {
  readonly entries: string[] = [];
  ticks = 0;

  onModuleInit(): void {
    this.entries.push('init');
  }

  onApplicationBootstrap(): void {
    this.entries.push('bootstrap');
  }

  @Interval(20)
  tick(): void {
    if (this.ticks === 0) this.entries.push('tick');
    this.ticks += 1;
  }

  @OnEvent('rain.fell')
  rained({ litres }: { litres: number }): void {
    this.entries.push(`rain ${litres}`);
  }
}

@Injectable()
class StationGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const stations = this.reflector.getAllAndOverride<string[]>('stations', [context.getHandler(), context.getClass()]);
    const { headers } = context.switchToHttp().getRequest<Request>();
    return stations.includes(String(headers['x-station']));
  }
}

@Injectable()
class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

@Injectable({ scope: Scope.REQUEST })
class Caller {
  constructor(@Inject(REQUEST) private readonly request: Request) {}

  get language(): string {
    return this.request.headers['accept-language'] ?? 'none';
  }
}

@Controller('weather')
class WeatherController {
  private asked = 0;

  constructor(
    private readonly journal: Journal,
    private readonly events: EventEmitter2,
    @Inject(weatherConfig.KEY) private readonly config: ConfigType<typeof weatherConfig>,
    private readonly all: ConfigService,
  ) {}

  @Get('journal')
  readJournal() {
    return { entries: this.journal.entries, hasTicked: this.journal.ticks > 0 };
  }

  @Get('unit')
  unit() {
    return { unit: this.config.unit, same: this.all.get<string>('weather.unit') };
  }

  @Post('rain')
  rain() {
    return { heard: this.events.emit('rain.fell', { litres: 3 }) };
  }

  @Get('cached')
  @UseInterceptors(CacheInterceptor)
  @CacheTTL(60_000)
  cached() {
    return { asked: ++this.asked };
  }

  @Get('station')
  @Stations('north', 'south')
  @UseGuards(StationGuard)
  station() {
    return { open: true };
  }

  @Get('envelope')
  @UseInterceptors(EnvelopeInterceptor)
  envelope() {
    return { inside: true };
  }
}

@Controller('callers')
class CallersController {
  constructor(private readonly caller: Caller) {}

  @Get()
  language() {
    return { language: this.caller.language };
  }
}

@Module({
  imports: [
    ConfigModule.forRoot({ ignoreEnvFile: true, load: [weatherConfig] }),
    ConfigModule.forFeature(weatherConfig),
    CacheModule.register(),
    ScheduleModule.forRoot(),
    EventEmitterModule.forRoot(),
  ],
  controllers: [WeatherController, CallersController],
  providers: [Journal, Caller, StationGuard],
})
export class WeatherModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((_request: Request, response: Response, next: NextFunction) => {
        response.setHeader('X-Weather', 'fine');
        next();
      })
      .exclude('weather/unit')
      .forRoutes(WeatherController);
  }
}
