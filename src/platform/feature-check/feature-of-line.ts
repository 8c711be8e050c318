// As a whole: an old Node, which lacks a part of it, is to be told what it needs.
import util from 'node:util';
import type { Feature } from '../feature.js';
import { declareFeatures, type DeclaredFeature } from './declared-features.js';
import { featureOfFiles, pathOf } from './feature-at-fault.js';

/** Calls between a line of the log and the code that wrote it: pino's, Nest's, and those of a library around it. */
const CALLS = 30;

/**
 * Finds the feature that writes a line of the log outside of a request, as a job, a subscriber or a middleware does: by
 * the name that its `Logger` was made with, where one feature alone has such a class, else by the file that it is in.
 */
export function lineAttribution(features: readonly Feature[]): (context: unknown) => string | undefined {
  const names = new Map<unknown, string | undefined>();
  const ownerOf = featureOfFiles(features);
  // What cannot be read is told when the features are checked.
  void declareFeatures(features).then(
    (declared) => declared.forEach((feature) => addNames(names, feature)),
    () => undefined,
  );
  return (context) => names.get(context) ?? ownerOf(filesHere());
}

function addNames(names: Map<unknown, string | undefined>, { name, modules }: DeclaredFeature): void {
  for (const { type, controllers, providers } of modules) {
    const classes = providers.map((provider) => ('provide' in provider ? provider.provide : provider));
    for (const made of [type, ...controllers, ...classes]) {
      if (typeof made !== 'function') continue;
      const owner = names.get(made.name);
      names.set(made.name, names.has(made.name) && owner !== name ? undefined : name);
    }
  }
}

function filesHere(): string[] {
  return util.getCallSites(CALLS, { sourceMap: false }).map(({ scriptName }) => pathOf(scriptName));
}
