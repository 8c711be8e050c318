import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';

/** The configuration of the platform by `CONFIG`, and that of each feature by the KEY of its `defineConfig`. */
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    const features = [...config.featureValues].map(([provide, useValue]): Provider => ({ provide, useValue }));
    const providers: Provider[] = [{ provide: CONFIG, useValue: config }, ...features];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
