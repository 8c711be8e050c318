import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this package, semver: what features name a range of, and what telemetry carries. */
export const version: string = manifest.version;

/** The commit that was built, where the build says so. */
export const revision: string = process.env['REVISION'] ?? 'unknown';
