import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { defineFeature, TextProperty } from 'animal-store';

const BLOCK_MS = 700;

class Misdeed {
  @TextProperty({ maxLength: 50 })
  name: string;
}

/** Handlers that do everything that would harm other requests. */
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

  @Post('hangs')
  hangsOn(@Body() _misdeed: Misdeed): Promise<void> {
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
