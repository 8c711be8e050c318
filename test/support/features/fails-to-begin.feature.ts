import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { defineFeature } from 'animal-store';

@Injectable()
class Kettle implements OnModuleInit {
  async onModuleInit(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw new Error('No water');
  }
}

@Module({ providers: [Kettle] })
class KettlesModule {}

export const kettles = defineFeature({ name: 'kettles', platform: '^1.0.0', module: KettlesModule });
