import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';
import type { Configured } from './feature-config.js';

/** The configuration of the platform by `CONFIG`, and that of each feature by the KEY of its `defineConfig`. */
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    const features = [...config.featureValues].map(([provide, useValue]): Provider => ({ provide, useValue }));
    const providers: Provider[] = [{ provide: CONFIG, useValue: config }, ...features];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}

/**
 * Variables of features in the environment of the process, where `registerAs` and `ConfigService` of @nestjs/config look
 * for them, also those that come from `.env`, a file or a default. They are there until the application stops.
 */
export class FeatureEnvironment {
  private readonly before = new Map<string, string | undefined>();

  /** @param readers the features that import @nestjs/config; the values of others, secrets among them, stay where they are. */
  constructor(readers: readonly Configured[], { featureValues }: Config) {
    for (const { config } of readers) {
      const values = (config && featureValues.get(config.KEY)) as
        Readonly<Record<string, string | number | boolean | undefined>> | undefined;
      for (const [name, value] of Object.entries(values ?? {})) {
        if (value === undefined) continue;
        this.before.set(name, process.env[name]);
        process.env[name] = String(value);
      }
    }
  }

  /** Waits for what uses it, and restores it where that fails. */
  async during<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.restore();
      throw error;
    }
  }

  restore(): void {
    for (const [name, text] of this.before) {
      if (text === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = text;
    }
    this.before.clear();
  }
}
