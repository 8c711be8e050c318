import type { Type } from '@nestjs/common';
import { argumentsOf, type Route } from '../routing/index.js';
import { documentDto, undeclaredProperties } from '../validation/index.js';
import { responsesOf } from './documented-classes.js';

/**
 * Describes the classes that operations take and answer by their validators, before the document is made of them.
 *
 * @returns one sentence for each thing that the document would say otherwise than the validators do.
 */
export function documentClasses(routes: readonly Route[]): string[] {
  const seen = new Set<unknown>();
  return routes.flatMap((route) => {
    const taken = inputsOf(route);
    const answered = Object.values(responsesOf(route.handler)).flatMap(({ type }) => [type].flat());
    const faults = [
      ...taken.filter(({ type }) => !seen.has(type)).flatMap(({ type }) => undeclaredProperties(type)),
      ...taken.flatMap(({ type, kind }) => documentDto(type, seen, kind === 'body')),
      ...answered.filter(isClass).flatMap((type) => documentDto(type, seen)),
    ];
    return faults.map((fault) => `feature '${route.feature}': ${fault}`);
  });
}

/** The classes of what a handler takes whole: its body, its query, its path parameters. */
function inputsOf({ controller, handlerName }: Route): { readonly kind: string; readonly type: Type }[] {
  return argumentsOf(controller, handlerName).flatMap(({ kind, data, type }) =>
    kind !== undefined && typeof data !== 'string' && isClass(type) ? [{ kind, type }] : [],
  );
}

function isClass(type: unknown): type is Type {
  // `type: () => Pet` is made by the feature for what is not loaded yet; @nestjs/swagger tells it by its name.
  return typeof type === 'function' && type.name !== 'type';
}
