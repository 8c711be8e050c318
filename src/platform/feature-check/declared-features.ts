import type { DynamicModule, ForwardReference, Provider, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { ownerOf, type Feature } from '../feature.js';

/** What one Nest module declares, by its decorator or by its dynamic form. */
export interface DeclaredModule {
  readonly type: Type;
  readonly controllers: readonly Type[];
  readonly providers: readonly Provider[];
}

/** A feature with all that its module brings. */
export interface DeclaredFeature extends Feature {
  /** The feature's own module and every module that it imports, directly or not, except those of other features. */
  readonly modules: readonly DeclaredModule[];
  /** The features whose modules it imports. */
  readonly needs: readonly Feature[];
}

type Import = Type | DynamicModule | Promise<DynamicModule> | ForwardReference<() => Type>;

/**
 * Reads what each feature's module and its imports declare, as it is written. Nothing is made of it yet, so that a
 * feature that may not start has run none of its code; and what Nest would add is not in it, a `@Global()` module that
 * every other one is given for example.
 */
export function declareFeatures(features: readonly Feature[]): Promise<DeclaredFeature[]> {
  return Promise.all(features.map(async (feature) => ({ ...feature, ...(await modulesUnder(feature.module)) })));
}

async function modulesUnder(root: Type): Promise<Pick<DeclaredFeature, 'modules' | 'needs'>> {
  const modules: DeclaredModule[] = [];
  const needs: Feature[] = [];
  const seen = new Set<unknown>();
  const waiting: Import[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const imported = await resolve(next);
    const dynamic = typeof imported === 'function' ? undefined : imported;
    const type = typeof imported === 'function' ? imported : imported.module;
    const owner = type === root ? undefined : ownerOf(type);
    if (owner !== undefined) {
      needs.push(owner);
      continue;
    }
    // A class may be imported in several dynamic forms, but what its decorator says counts once.
    if (!seen.has(type)) {
      modules.push({ type, controllers: read(type, 'CONTROLLERS'), providers: read(type, 'PROVIDERS') });
      waiting.push(...read<Import>(type, 'IMPORTS'));
    }
    if (dynamic !== undefined && !seen.has(dynamic)) {
      modules.push({ type, controllers: dynamic.controllers ?? [], providers: dynamic.providers ?? [] });
      waiting.push(...((dynamic.imports ?? []) as Import[]));
    }
    seen.add(type).add(dynamic);
  }
  return { modules, needs };
}

async function resolve(imported: Import): Promise<Type | DynamicModule> {
  const settled = await imported;
  return 'forwardRef' in settled ? settled.forwardRef() : settled;
}

function read<T>(type: Type, what: keyof typeof MODULE_METADATA): T[] {
  return (Reflect.getMetadata(MODULE_METADATA[what], type) as T[] | undefined) ?? [];
}
