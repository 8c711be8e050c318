import { Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';

/**
 * Features' variables in the environment of the process, where `registerAs` and `ConfigService` of @nestjs/config look for
 * them, also those that come from `.env`, a file or a default. They are there until the application stops.
 */
class FeatureEnvironment implements OnApplicationShutdown {
  private readonly before = new Map<string, string | undefined>();

  constructor({ featureValues }: Config) {
    const values = [...featureValues.values()] as Readonly<Record<string, string | number | boolean | undefined>>[];
    for (const [name, value] of values.flatMap((own) => Object.entries(own))) {
      if (value === undefined) continue;
      this.before.set(name, process.env[name]);
      process.env[name] = String(value);
    }
  }

  onApplicationShutdown(): void {
    for (const [name, text] of this.before) {
      if (text === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = text;
    }
  }
}

/** The configuration of the platform by `CONFIG`, and that of each feature by the KEY of its `defineConfig`. */
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    const features = [...config.featureValues].map(([provide, useValue]): Provider => ({ provide, useValue }));
    const providers: Provider[] = [{ provide: CONFIG, useValue: config }, ...features];
    // Filled here, before Nest makes the first provider.
    const environment = { provide: FeatureEnvironment, useValue: new FeatureEnvironment(config) };
    return { module: ConfigModule, global: true, providers: [...providers, environment], exports: providers };
  }
}
