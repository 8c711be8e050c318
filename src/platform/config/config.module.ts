import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';
import type { Configured } from './feature-config.js';

/**
 * Provides the configuration of the platform as `CONFIG`, and that of each feature under the KEY of its `defineConfig`.
 */
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    const features = [...config.featureValues].map(([provide, useValue]): Provider => ({ provide, useValue }));
    const providers: Provider[] = [{ provide: CONFIG, useValue: config }, ...features];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}

/**
 * Sets the variables of features in `process.env`, where `registerAs` and `ConfigService` of @nestjs/config read them.
 * This includes values from `.env`, from a file and from a default.
 *
 * @param readers the features that import @nestjs/config. Values of other features, including secrets, are not set.
 * @returns a function that restores the environment, once.
 */
export function exposeFeatureValues(readers: readonly Configured[], { featureValues }: Config): () => void {
  const before = new Map<string, string | undefined>();
  for (const { config } of readers) {
    for (const [name, value] of Object.entries((config && featureValues.get(config.KEY)) ?? {})) {
      if (value === undefined) continue;
      before.set(name, process.env[name]);
      process.env[name] = `${value as string | number | boolean}`;
    }
  }
  return () => {
    for (const [name, text] of before) {
      if (text === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = text;
    }
    before.clear();
  };
}
