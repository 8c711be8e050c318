import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { ErrorCode } from './errors/index.js';

/** A migration class of TypeORM; its name ends in the 13 digits of its timestamp. */
export type Migration = new () => MigrationInterface;

/** One feature: what the business is, and nothing of the platform. */
export interface Feature {
  /** Lower kebab case; its metrics, logs and documents carry it. */
  readonly name: string;
  /** The semver range of platform versions that it was built for, checked at start. */
  readonly platform: string;
  /** An ordinary Nest module. */
  readonly module: Type;
  readonly entities?: readonly Type[];
  readonly migrations?: readonly Migration[];
  /** Scopes by name, with what each allows: `{ 'pets:read': 'List and fetch pets' }`. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** The error codes of its own that it raises. */
  readonly errors?: readonly ErrorCode[];
}

/** Declares a feature. Nothing is checked here: all violations of all features are listed together at start. */
export function defineFeature(feature: Feature): Feature {
  return Object.freeze(feature);
}
