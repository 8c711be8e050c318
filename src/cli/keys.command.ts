import { Command, InvalidArgumentError } from 'commander';
import { QueryFailedError } from 'typeorm';
import {
  ApiKeysFileError,
  ApiKeysFileWriter,
  ApiKeyStore,
  EVERYTHING,
  faultOfClient,
  faultOfScopes,
  isPublicId,
  keyEnvironmentOf,
  KeyProblem,
  LoggedKeyAudit,
  publicIdOf,
  parseDuration,
  parseInstant,
  printableJson,
} from '../platform/auth/index.js';
import { loadEnvironment, readVariable } from '../platform/config/index.js';
import { codeOf } from '../platform/database/index.js';
import type { Feature } from '../platform/feature.js';
import { commandHint } from '../platform/lifecycle/index.js';
import type { LogSettings } from '../platform/logging/index.js';
import { DAY_MS, SystemClock, type Clock } from '../platform/time.js';
import { commandLog, refuse } from './command-output.js';
import { describeKeys, tabulateKeys } from './keys-report.js';
import { withDatabase } from './with-database.js';

/**
 * Runs work on the keys of the configured database. Opens the database before and closes it after. `cacheTtlMs`: how
 * long a replica may still accept a revoked key. Milliseconds.
 */
export type WithKeys = <T>(work: (keys: ApiKeyStore, clock: Clock, cacheTtlMs: number) => Promise<T>) => Promise<T>;

/** Runs work on the keys file at `path`. Keys can only be created there. */
export type WithKeysFile = <T>(path: string, work: (keys: KeyMaker, clock: Clock) => Promise<T>) => Promise<T>;

type KeyMaker = Pick<ApiKeyStore, 'create'>;

/** Opens the keys in the database. */
export function withKeysOf(features: readonly Feature[]): WithKeys {
  return (work) =>
    withDatabase(features, { migrate: true }, async ({ config, dataSource }) => {
      const clock = new SystemClock();
      const keys = new ApiKeyStore(dataSource, clock, await commandAudit(config.log), keyEnvironmentOf(config.env));
      return work(keys, clock, config.auth.cacheTtlMs);
    });
}

/**
 * The audit in the log. A terminal gets no audit lines, because nobody collects them and the command prints the same.
 */
async function commandAudit(settings: Pick<LogSettings, 'level' | 'format'>): Promise<Pick<LoggedKeyAudit, 'record'>> {
  if (settings.format === 'pretty') return { record: () => undefined };
  return new LoggedKeyAudit(await commandLog(settings));
}

/** Keys in a file need neither a database nor the other settings, so such a file may be created on any machine. */
export const withKeysFile: WithKeysFile = async (path, work) => {
  const audit = await commandAudit({ level: 'info', format: process.stderr.isTTY ? 'pretty' : 'json' });
  const environment = keyEnvironmentOf(readVariable(loadEnvironment(), 'NODE_ENV'));
  return work(new ApiKeysFileWriter(path, audit, environment), new SystemClock());
};

const MAX_OVERLAP_MS = 366 * DAY_MS;

/**
 * `keys create | list | roll | revoke`. Standard output has only what a script reads. Sentences for people go to
 * standard error.
 *
 * @param declaredScopes the scopes that the features declare. Other scopes are refused.
 */
export function keysCommand(
  withKeys: WithKeys,
  withKeysFile: WithKeysFile,
  declaredScopes: readonly string[],
): Command {
  const keys = new Command('keys').description('make, list, roll and revoke API keys');
  return keys
    .addCommand(createCommand(withKeys, withKeysFile, declaredScopes))
    .addCommand(listCommand(withKeys))
    .addCommand(rollCommand(withKeys))
    .addCommand(revokeCommand(withKeys));
}

function createCommand(withKeys: WithKeys, withKeysFile: WithKeysFile, declaredScopes: readonly string[]): Command {
  interface Options {
    readonly name: string;
    readonly scopes: string[];
    readonly expiresAt?: number;
    readonly file?: string;
  }
  const command = new Command('create').description('make a key and print it; it is never shown again');
  return command
    .requiredOption('--name <name>', 'the client that the key is for', clientName)
    .option('--scopes <a,b>', 'what the key may do', (text) => scopeList(text, declaredScopes), [EVERYTHING])
    .option('--expires-at <time>', 'when it ends, e.g. 2030-01-31 or 2030-01-31T12:00:00Z', instant)
    .option('--file <path>', 'put its hash into this keys file (API_KEYS_FILE) instead of the database')
    .action(({ name, scopes, expiresAt, file }: Options) => {
      const create = async (keys: KeyMaker, clock: Clock): Promise<void> => {
        if (isPast(expiresAt, clock)) return refuse(command, '--expires-at is in the past.');
        const key = await keys.create({ client: name, scopes, expiresAt });
        print(key.text);
        hintOfKey(`Key ${key.publicId} of ${name}. It is shown this once: only its hash is kept.`);
      };
      return attempt(command, () => (file === undefined ? withKeys(create) : withKeysFile(file, create)), file);
    });
}

function listCommand(withKeys: WithKeys): Command {
  const command = new Command('list').description('list all keys, without their secrets');
  return command.option('--json', 'as a JSON array').action(({ json }: { readonly json?: boolean }) =>
    attempt(command, () =>
      withKeys(async (keys, clock) => {
        const listed = describeKeys(await keys.list(), clock.now());
        print(json === true ? printableJson(listed) : tabulateKeys(listed));
      }),
    ),
  );
}

function rollCommand(withKeys: WithKeys): Command {
  interface Options {
    readonly overlap: number;
    readonly expiresAt?: number;
  }
  const command = new Command('roll').description('make a successor for a key, which then expires; print the new key');
  return command
    .argument('<id>', 'the public id', publicId)
    .requiredOption('--overlap <time>', 'how long the old key still works: 0, 30m, 24h, 7d', duration)
    .option('--expires-at <time>', 'when the new key ends', instant)
    .action((id: string, { overlap, expiresAt }: Options) =>
      attempt(command, () =>
        withKeys(async (keys, clock) => {
          if (isPast(expiresAt, clock)) return refuse(command, '--expires-at is in the past.');
          const key = await keys.roll(id, overlap, expiresAt);
          print(key.text);
          hintOfKey(
            `Key ${key.publicId} takes over from ${id}. It is shown this once: the service keeps only its hash.`,
          );
        }),
      ),
    );
}

function revokeCommand(withKeys: WithKeys): Command {
  const command = new Command('revoke').description('refuse a key from now on');
  return command.argument('<id>', 'the public id', publicId).action((id: string) =>
    attempt(command, () =>
      withKeys(async (keys, _clock, cacheTtlMs) => {
        const revoked = await keys.revoke(id);
        const refused = `Every replica refuses it ${cacheTtlMs === 0 ? 'at once' : `within ${cacheTtlMs / 1000} s`}.`;
        hint(revoked ? `Key ${id} is revoked. ${refused}` : `Key ${id} was revoked before.`);
      }),
    ),
  );
}

/** Prints expected errors as a sentence and exits with 1. Throws other errors. */
async function attempt(command: Command, work: () => Promise<void>, file = ''): Promise<void> {
  try {
    await work();
  } catch (error) {
    const sentence = sentenceOf(error, file);
    if (sentence === undefined) throw error;
    command.error(`error: ${sentence}`, { exitCode: 1, code: 'keys.failed' });
  }
}

function sentenceOf(error: unknown, file: string): string | undefined {
  if (error instanceof KeyProblem) return error.message;
  if (error instanceof QueryFailedError) return `The database refused a statement (${codeOf(error)})`;
  return error instanceof ApiKeysFileError ? `No key was put into ${file}: ${error.message}.` : undefined;
}

function clientName(text: string): string {
  const fault = faultOfClient(text);
  if (fault !== undefined) throw new InvalidArgumentError(`It ${fault}.`);
  return text;
}

function scopeList(text: string, declared: readonly string[]): string[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  const fault = faultOfScopes(scopes);
  if (fault !== undefined) throw new InvalidArgumentError(`It ${fault}.`);
  const undeclared = scopes.filter((scope) => scope !== EVERYTHING && !declared.includes(scope));
  if (undeclared.length === 0) return scopes;
  throw new InvalidArgumentError(`No feature declares ${undeclared.join(', ')}. There is: ${declared.join(', ')}.`);
}

function instant(text: string): number {
  const time = parseInstant(text);
  if (time === undefined) throw new InvalidArgumentError('It must be ISO 8601: 2030-01-31 or 2030-01-31T12:00:00Z.');
  return time;
}

function isPast(time: number | undefined, clock: Clock): boolean {
  return time !== undefined && time <= clock.now();
}

function duration(text: string): number {
  const length = parseDuration(text);
  if (length !== undefined && length <= MAX_OVERLAP_MS) return length;
  throw new InvalidArgumentError('It must be 0 or a number with s, m, h or d, up to 366d.');
}

/** A whole key is accepted too, so that somebody who finds a leaked key need not split it. */
function publicId(text: string): string {
  const id = isPublicId(text) ? text : publicIdOf(text);
  if (id === undefined) throw new InvalidArgumentError('A public id has 8 letters and digits; see keys list.');
  return id;
}

/** Without a terminal the audit line says the same. So standard error has one line in both cases. */
function hintOfKey(sentence: string): void {
  if (process.stderr.isTTY) hint(sentence);
}

function hint(sentence: string): void {
  process.stderr.write(commandHint(`${sentence}\n`));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
