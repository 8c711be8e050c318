import type { DeclaredFeature, DeclaredModule } from './declared-features.js';

/**
 * The features that read the environment by @nestjs/config: those that import its module, or all where that or its
 * `ConfigService` is global, by itself or as an export of a global module.
 */
export function readersOfEnvironment(features: readonly DeclaredFeature[]): readonly DeclaredFeature[] {
  const modules = features.flatMap((feature) => feature.modules);
  const ofConfig = modules.filter(isOfConfig);
  const tokens = new Set<unknown>(ofConfig.flatMap(({ type, providers }) => [type, ...providers.map(tokenOf)]));
  const isGlobal = [...givenToAll(modules)].some((token) => tokens.has(token));
  return features.filter((feature) => isGlobal || feature.modules.some(isOfConfig));
}

/** The global modules with all that they export, the exports of exported modules too. */
function givenToAll(modules: readonly DeclaredModule[]): ReadonlySet<unknown> {
  const given = new Set<unknown>(modules.filter(({ isGlobal }) => isGlobal).map(({ type }) => type));
  for (const token of given) {
    const ofToken = modules.filter(({ type }) => type === token);
    for (const exported of ofToken.flatMap(({ exports }) => exports)) given.add(tokenOf(exported));
  }
  return given;
}

/** The class of a module, or what a provider is injected by. */
function tokenOf(item: unknown): unknown {
  const { module, provide } = Object(item) as { readonly module?: unknown; readonly provide?: unknown };
  return module ?? provide ?? item;
}

/** Whether it is the ConfigModule of @nestjs/config, of which each package may have its own, or extends that. */
function isOfConfig({ type }: DeclaredModule): boolean {
  return 'envVariablesLoaded' in type;
}
