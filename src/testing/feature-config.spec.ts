import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Global, Inject, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { ConfigModule, ConfigService, registerAs, type ConfigType } from '@nestjs/config';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createApplication,
  defineConfig,
  defineFeature,
  Health,
  loadConfig,
  Public,
  variable,
  type ConfigValues,
  type Feature,
} from '../index.js';
import { startTestApplication, type TestApplication } from './index.js';

const catsConfig = defineConfig({
  CATS_MAX: variable.integer(1, 100)({ default: 10, desc: 'Cats that a house may have' }),
  CATS_FOOD: variable.oneOf('fish', 'mice')({ default: 'mice', desc: 'What cats eat' }),
  CATS_TOKEN: variable.secret({ devDefault: 'none', desc: 'What the vet asks for' }),
});

@Controller('cats')
class CatsController {
  constructor(@Inject(catsConfig.KEY) private readonly config: ConfigValues<typeof catsConfig>) {}

  @Get()
  @Public()
  findAll(): object {
    const { CATS_MAX: max, CATS_FOOD: food, CATS_TOKEN: token } = this.config;
    return { next: max + 1, food, token };
  }
}

@Module({ controllers: [CatsController] })
class CatsModule {}

const cats = defineFeature({ name: 'cats', platform: '^1.0.0', module: CatsModule, config: catsConfig });
/** As in an ordinary Nest application, which reads the environment of the process. */
const dogsConfig = registerAs('dogs', () => ({ food: process.env['DOGS_FOOD'], token: process.env['DOGS_TOKEN'] }));

@Controller('dogs')
class DogsController {
  constructor(
    @Inject(dogsConfig.KEY) private readonly config: ConfigType<typeof dogsConfig>,
    private readonly all: ConfigService,
  ) {}

  @Get()
  @Public()
  findAll(): object {
    return {
      ...this.config,
      max: this.all.get<string>('DOGS_MAX'),
      leash: this.all.get<string>('DOGS_LEASH') ?? 'none',
    };
  }
}

@Module({ imports: [ConfigModule.forFeature(dogsConfig)], controllers: [DogsController] })
class DogsModule {}

const dogs = defineFeature({
  name: 'dogs',
  platform: '^1.0.0',
  module: DogsModule,
  config: defineConfig({
    DOGS_MAX: variable.integer(1, 9)({ default: 3, desc: 'Dogs that a house may have' }),
    DOGS_FOOD: variable.text({ default: 'meat', desc: 'What dogs eat' }),
    DOGS_LEASH: variable.text({ default: undefined, desc: 'What holds them' }),
    DOGS_TOKEN: variable.secret({ devDefault: 'none', desc: 'What the vet asks for' }),
  }),
});

@Module({ imports: [ConfigModule.forRoot({ ignoreEnvFile: true, isGlobal: true })] })
class HensModule {}

const hens = defineFeature({ name: 'hens', platform: '^1.0.0', module: HensModule });

const otherOfThatName = (): Type => {
  @Module({})
  class ConfigModule {}
  @Module({ imports: [{ module: ConfigModule, global: true }] })
  class ImportingModule {}
  return ImportingModule;
};

const dynamicForm = ConfigModule.forFeature(dogsConfig);

@Module({ imports: [ConfigModule], exports: [ConfigModule] })
class SharedModule {}

/** A global module that imports @nestjs/config. */
function exporting(parts: ModuleMetadata): Type {
  @Global()
  @Module({ imports: [ConfigModule, SharedModule, dynamicForm], ...parts })
  class GlobalModule {}
  return GlobalModule;
}

const quiet = { NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' };
const faultsOf = (env: NodeJS.ProcessEnv, feature: Feature = cats): unknown => {
  try {
    return loadConfig({ ...quiet, ...env }, false, [feature]).settings.filter(({ name }) => name.startsWith('CATS_'));
  } catch (error) {
    return (error as { faults: unknown }).faults;
  }
};

let application: TestApplication | undefined;

afterEach(async () => {
  jest.restoreAllMocks();
  await application?.stop();
  application = undefined;
});

afterEach(() => void Reflect.deleteProperty(process.env, 'DOGS_FOOD'));

describe('the variables of a feature', () => {
  it('are injected, typed, with their defaults', async () => {
    application = await startTestApplication({ features: [cats], env: { CATS_MAX: '41' } });
    const { anonymous } = application;
    expect((await anonymous.get('/v1/cats')).json()).toEqual({ next: 42, food: 'mice', token: 'none' });
  });

  it('are checked with all others, and never written as they are where they are secret', () => {
    expect(faultsOf({ PORT: 'x', CATS_MAX: '0', CATS_FOOD: 'dogs', NODE_ENV: 'production' })).toMatchObject([
      { name: 'PORT' },
      { name: 'PUBLIC_BASE_URL' },
      { name: 'CATS_MAX', reason: 'must be a whole number from 1 to 100' },
      { name: 'CATS_FOOD', reason: 'must be one of fish, mice' },
      { name: 'CATS_TOKEN', reason: 'is required in production' },
    ]);
    expect(faultsOf({ CATS_TOKEN: 'canary' })).toEqual([
      { name: 'CATS_MAX', value: '10', source: 'default' },
      { name: 'CATS_FOOD', value: 'mice', source: 'default' },
      { name: 'CATS_TOKEN', value: '***', source: 'environment' },
    ]);
  });

  it('may come from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'feature-config-'));
    writeFileSync(join(folder, 'max'), '7\n');
    expect(faultsOf({ CATS_MAX_FILE: join(folder, 'max') })).toMatchObject([{ value: '7', source: 'file' }, {}, {}]);
    rmSync(folder, { recursive: true });
  });

  it('are read by registerAs and ConfigService, wherever they come from', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'feature-config-'));
    writeFileSync(join(folder, 'token'), 'canary\n');
    process.env['DOGS_FOOD'] = 'of the process';
    application = await startTestApplication({
      features: [dogs],
      env: { DOGS_FOOD: 'bones', DOGS_TOKEN_FILE: join(folder, 'token') },
    });
    const answer = await application.anonymous.get('/v1/dogs');
    expect(answer.json()).toEqual({ food: 'bones', token: 'canary', max: '3', leash: 'none' });
    await application.stop();
    expect(Object.keys(process.env).filter((name) => name.startsWith('DOGS_'))).toEqual(['DOGS_FOOD']);
    expect(process.env['DOGS_FOOD']).toBe('of the process');
    Reflect.deleteProperty(process.env, 'DOGS_FOOD');
    application = await startTestApplication({ features: [dogs] });
    expect((await application.anonymous.get('/v1/dogs')).json()).toMatchObject({ food: 'meat', token: 'none' });
    rmSync(folder, { recursive: true });
  });

  it('are not in the environment of the process where nothing reads them there', async () => {
    const inEnvironment = (): string[] => Object.keys(process.env).filter((name) => /^(CATS|DOGS|HENS)_/.test(name));
    application = await startTestApplication({ features: [cats], env: { CATS_TOKEN: 'canary' } });
    expect(inEnvironment()).toEqual([]);
    await application.stop();
    application = await startTestApplication({ features: [cats, dogs], env: { CATS_TOKEN: 'canary' } });
    expect(inEnvironment()).toEqual(['DOGS_MAX', 'DOGS_FOOD', 'DOGS_TOKEN']);
    await application.stop();
    application = await startTestApplication({ features: [cats, hens] });
    // A global ConfigModule is imported by every feature.
    expect(inEnvironment()).toEqual(['CATS_MAX', 'CATS_FOOD', 'CATS_TOKEN']);
  });

  it.each<[string, Type, boolean]>([
    ['exports ConfigModule', exporting({ exports: [ConfigModule] }), true],
    ['exports ConfigService', exporting({ providers: [ConfigService], exports: [ConfigService] }), true],
    ['exports a module that exports it', exporting({ exports: [SharedModule] }), true],
    ['exports it in a dynamic form', exporting({ exports: [dynamicForm] }), true],
    ['keeps it to itself', exporting({}), false],
    ['is another one of that name', otherOfThatName(), false],
  ])('are in the environment of the process where a @Global() module %s', async (_what, module, isThere) => {
    application = await startTestApplication({ features: [cats, defineFeature({ ...hens, module })] });
    expect('CATS_FOOD' in process.env).toBe(isThere);
  });

  it.each(['constructor', 'onModuleInit', 'onModuleDestroy'])('leave it where %s fails', async (place) => {
    process.env['DOGS_FOOD'] = 'of the process';
    class Kennel {
      constructor() {
        this.at('constructor');
      }
      onModuleInit(): void {
        this.at('onModuleInit');
      }
      onModuleDestroy(): void {
        this.at('onModuleDestroy');
      }
      private at(here: string): void {
        seen.push(process.env['DOGS_TOKEN']);
        if (here === place) throw new Error('flea');
      }
    }
    const seen: (string | undefined)[] = [];
    @Module({ imports: [ConfigModule.forFeature(dogsConfig)], providers: [Kennel] })
    class KennelModule {}
    const kennel = defineFeature({ ...dogs, module: KennelModule });
    const started = startTestApplication({ features: [kennel], env: { DOGS_TOKEN: 'canary' } });
    await started.then((running) => running.stop()).catch(() => undefined);
    expect(new Set(seen)).toEqual(new Set(['canary']));
    expect(Object.keys(process.env).filter((name) => name.startsWith('DOGS_'))).toEqual(['DOGS_FOOD']);
    expect(process.env['DOGS_FOOD']).toBe('of the process');
  });

  it.each(['contribute', 'drain'] as const)('leave it where the platform itself fails, at %s', async (step) => {
    jest.spyOn(Health.prototype, step).mockImplementation(() => {
      throw new Error('flea');
    });
    const config = loadConfig({ ...quiet, LOG_LEVEL: 'silent' }, false, [dogs]);
    const stopped = createApplication({ features: [dogs], config }).then((created) => {
      expect(process.env['DOGS_FOOD']).toBe('meat');
      return created.stop();
    });
    await expect(stopped).rejects.toThrow('flea');
    expect(Object.keys(process.env).filter((name) => name.startsWith('DOGS_'))).toEqual([]);
  });

  it('are not asked for while the feature is off', () => {
    const env = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://a.example/v1', FEATURES_OFF: 'cats' };
    expect(faultsOf(env)).toEqual([]);
  });

  it('begin with its name, and are read before it starts', async () => {
    const config = defineConfig({
      PORT: variable.integer(1, 2)({ default: 1, desc: 'x' }),
      CAT_X: variable.boolean({ default: true, desc: 'x' }),
    });
    const odd = defineFeature({ name: 'cats', platform: '^1.0.0', module: CatsModule, config });
    const read = loadConfig({ ...quiet, PORT: '1' }, false, [odd]);
    await expect(createApplication({ features: [odd], config: read })).rejects.toMatchObject({
      violations: [
        "feature 'cats' has a variable 'PORT', which is the platform's",
        "feature 'cats' has a variable 'CAT_X', which does not begin with CATS_",
      ],
    });
    await expect(createApplication({ features: [cats], config: loadConfig(quiet, false) })).rejects.toThrow(
      'CATS_MAX: was not read: loadConfig takes the features as its third argument',
    );
  });
});
