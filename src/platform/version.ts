import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The semver version of this package. Features declare a range of it, and telemetry contains it. */
export const version: string = manifest.version;

/** The commit of the build; `unknown` if the build does not set REVISION. */
export const revision: string = process.env['REVISION'] ?? 'unknown';
