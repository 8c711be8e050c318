import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  StreamableFile,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { defineFeature, LOG, type Log } from 'animal-store';

/** The step that never ends: the name of a hook, or `factory`. */
const sleepsIn = process.env['TEST_SLEEPS_IN'];

const forEver = (): Promise<never> => new Promise(() => undefined);

/** A resource that handlers need and that a hook frees. */
@Injectable()
class Bed
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private freed = false;

  constructor(@Inject(LOG) private readonly log: Log) {}

  private async sleepIn(hook: string): Promise<void> {
    if (sleepsIn !== hook) return;
    this.log.info({ event: 'sleeper.asleep', hook }, 'Fell asleep');
    await forEver();
  }

  lieDown(): void {
    if (this.freed) throw new Error('The bed is gone');
  }

  onModuleInit(): Promise<void> {
    return this.sleepIn('onModuleInit');
  }

  onApplicationBootstrap(): Promise<void> {
    return this.sleepIn('onApplicationBootstrap');
  }

  onModuleDestroy(): Promise<void> {
    this.freed = true;
    return this.sleepIn('onModuleDestroy');
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sleepIn('beforeApplicationShutdown');
  }

  onApplicationShutdown(): Promise<void> {
    return this.sleepIn('onApplicationShutdown');
  }
}

/** Yields two values, the second after a pause. */
async function* snoring(): AsyncGenerator<string> {
  yield 'z';
  await sleep(300);
  yield 'z';
}

@Controller('naps')
class NapsController {
  constructor(private readonly bed: Bed) {}

  @Get()
  async nap(): Promise<object> {
    this.bed.lieDown();
    await sleep(1000);
    this.bed.lieDown();
    return { rested: true };
  }

  @Get('snores')
  snores(): StreamableFile {
    return new StreamableFile(Readable.from(snoring()));
  }

  @Get('endless')
  sleep(): Promise<never> {
    return forEver();
  }
}

@Module({
  controllers: [NapsController],
  providers: [
    Bed,
    { provide: 'DREAM', useFactory: () => (sleepsIn === 'factory' ? forEver() : 'a dream') },
    { provide: 'DREAM_OF_A_DREAM', inject: ['DREAM'], useFactory: (dream: string) => dream },
  ],
})
class SleeperModule {}

export const sleeper = defineFeature({ name: 'sleeper', platform: '^1.0.0', module: SleeperModule });
