import { Controller, Get, Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';

const BLOCK_MS = 700;

/** Everything that a handler may not do to the others. */
@Controller('misbehaves')
class MisbehaverController {
  @Get('throws')
  throwsError(): void {
    throw new Error('A fault of its own');
  }

  @Get('hangs')
  hangs(): Promise<void> {
    return new Promise(() => undefined);
  }

  @Get('blocks')
  async blocks(): Promise<object> {
    await Promise.resolve();
    for (const end = Date.now() + BLOCK_MS; Date.now() < end;);
    return {};
  }
}

@Module({ controllers: [MisbehaverController] })
class MisbehaverModule {}

export const misbehaver = defineFeature({ name: 'misbehaver', platform: '^1.0.0', module: MisbehaverModule });
