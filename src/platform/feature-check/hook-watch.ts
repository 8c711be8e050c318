import { STATIC_CONTEXT, type InstanceWrapper } from '../nest-internals.js';
import { HttpAdapterHost, type ModulesContainer } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PlatformDataSource } from '../database/index.js';
import { inTime } from '../time.js';
import type { DeclaredFeature } from './declared-features.js';
import { FeatureStartError } from './feature-at-fault.js';

/** Nest's lifecycle hooks at start and at shutdown. */
const HOOKS = [
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
] as const;

/** Modules also have `configure`, which declares their middleware. */
const MODULE_HOOKS = [...HOOKS, 'configure'] as const;

type Hook = (typeof MODULE_HOOKS)[number];
type Hooked = Partial<Record<Hook, (...args: unknown[]) => unknown>>;

const BESIDE_NEST =
  'adds handlers to Express itself, which would answer without a key and in a shape of their own; ' +
  'declare them in a controller, or as middleware by configure(consumer)';

const SECOND_DATA_SOURCE = 'is a DataSource of its own; the service has one: use TypeOrmModule.forFeature';

/** A hook or factory of a feature that is running. */
export interface HookAtWork {
  readonly feature: string;
  /** The class and its hook, such as `Kettle.onModuleInit`, or the factory of a provider. */
  readonly work: string;
}

/**
 * Tracks the factories and lifecycle hooks of features that have begun and not ended, to name what delays a start or a
 * shutdown.
 */
export class HookWatch {
  private readonly running = new Set<HookAtWork>();
  private modules: ModulesContainer | undefined;
  private countHandlers = (): number => 0;

  constructor(private readonly features: readonly DeclaredFeature[]) {}

  /** Takes Nest's modules, while Nest still creates their providers. */
  meet(modules: ModulesContainer): void {
    this.modules = modules;
  }

  /**
   * Watches every call of a hook from now on. Must be called after all providers are created.
   *
   * @param countHandlers returns the number of Express's handlers.
   * @throws {FeatureStartError} for a provider that is a second DataSource, whatever its token.
   */
  begin(countHandlers: () => number = () => 0): void {
    this.countHandlers = countHandlers;
    for (const { feature, wrapper, isModule } of this.providers()) {
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
      if (typeof instance !== 'object' || instance === null) continue;
      if (instance instanceof DataSource && !(instance instanceof PlatformDataSource))
        throw new FeatureStartError(feature, `${nameOf(wrapper.token)} ${SECOND_DATA_SOURCE}`);
      for (const hook of isModule ? MODULE_HOOKS : HOOKS) this.watch(feature, instance, hook);
    }
  }

  /**
   * The error for handlers that were added to Express while Nest created the features' classes. It names the first
   * class of a feature that injects HttpAdapterHost.
   */
  addedHandlers(): FeatureStartError {
    const given = this.providers().find(({ wrapper }) =>
      dependenciesOf(wrapper).some(({ token }) => token === HttpAdapterHost),
    );
    return new FeatureStartError(given?.feature ?? 'unknown', `${nameOf(given?.wrapper.token)} ${BESIDE_NEST}`);
  }

  /** @throws {FeatureStartError} (rejects) if `starting` has not settled after `ms` milliseconds. */
  async within<T extends object>(ms: number, starting: Promise<T>): Promise<T> {
    const started = await inTime(ms, starting);
    if (started !== false) return started;
    const atWork = this.atWork();
    const reason = `not ended within ${ms} ms: ${atWork.map(({ work }) => work).join(', ')}`;
    throw new FeatureStartError(atWork[0]?.feature ?? 'unknown', reason);
  }

  atWork(): HookAtWork[] {
    const making = this.providers()
      .filter(({ wrapper }) => isPending(wrapper) && !dependenciesOf(wrapper).some(isPending))
      .map(({ feature, wrapper }) => ({ feature, work: `the factory of ${nameOf(wrapper.token)}` }));
    return [...making, ...this.running];
  }

  private providers() {
    const owners = new Map(
      this.features.flatMap(({ name, modules }) => modules.map(({ type }) => [type, name] as const)),
    );
    owners.delete(TypeOrmModule);
    return [...(this.modules?.values() ?? [])].flatMap((module) => {
      const feature = owners.get(module.metatype);
      if (feature === undefined) return [];
      const wrappers = [...module.providers.values(), ...module.controllers.values(), ...module.injectables.values()];
      return wrappers.map((wrapper) => ({ feature, wrapper, isModule: wrapper.metatype === module.metatype }));
    });
  }

  private watch(feature: string, instance: Hooked, hook: Hook): void {
    const own = instance[hook];
    if (typeof own !== 'function' || Object.hasOwn(instance, hook)) return;
    const work: HookAtWork = { feature, work: `${instance.constructor.name}.${hook}` };
    const watched = async (...args: unknown[]): Promise<void> => {
      this.running.add(work);
      const handlers = this.countHandlers();
      try {
        await own.apply(instance, args);
        if (this.countHandlers() > handlers) throw new FeatureStartError(feature, `${work.work} ${BESIDE_NEST}`);
      } finally {
        this.running.delete(work);
      }
    };
    // If the object is not extensible, this has no effect, and its hook runs unwatched.
    Reflect.defineProperty(instance, hook, { value: watched });
  }
}

/** Whether Nest has begun to create the provider and not ended. True also while it waits for its dependencies. */
function isPending(wrapper: InstanceWrapper): boolean {
  const { isPending, isResolved } = wrapper.getInstanceByContextId(STATIC_CONTEXT);
  return isPending === true && isResolved !== true;
}

function dependenciesOf(wrapper: InstanceWrapper): readonly InstanceWrapper[] {
  return (wrapper.getCtorMetadata() as InstanceWrapper[] | undefined) ?? [];
}

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String(token);
}
