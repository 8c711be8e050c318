/** Keeps secrets out of log lines: first by a list of allowed fields, then by removing texts that look like secrets. */

/**
 * Describes an error for the log. Errors of TypeORM carry SQL and parameters, those of drivers quote values, and some
 * carry a request. None of that is logged.
 */
export function describeError(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'A value that is not an Error was thrown' };
  const { code, errno } = thrown as { code?: unknown; errno?: unknown };
  return {
    // A subclass that sets no `name` inherits that of `Error`.
    type: thrown.name === 'Error' ? thrown.constructor.name : thrown.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof errno === 'number' ? { errno } : {}),
    message: messageOf(thrown),
    stack: isFromDriver(thrown) ? framesOf(thrown.stack) : thrown.stack,
  };
}

/** The message of an error, unless it may quote the values of a statement: "Duplicate entry 'Rex' for key". */
export function messageOf(error: Error): string {
  return isFromDriver(error) ? 'The database failed' : error.message;
}

/** The frames of a stack, without the message before them. */
export function framesOf(stack: string | undefined): string | undefined {
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return frames === undefined || frames.length === 0 ? undefined : frames.join('\n');
}

/** The stack of an error that wraps another: its own message, and the frames of the cause. */
export function stackOf(message: string, cause: unknown): string {
  const frames = cause instanceof Error ? framesOf(cause.stack) : undefined;
  return frames === undefined ? message : `${message}\n${frames}`;
}

function isFromDriver(error: Error): boolean {
  return error.name === 'QueryFailedError' || 'sqlMessage' in error || error.name === 'SqliteError';
}

/**
 * Describes a request that is logged as an object. Its headers may hold keys, and its URL what the client asks for, so
 * neither is logged.
 */
function describeRequest(request: unknown): object {
  const { method } = (request ?? {}) as { method?: unknown };
  return typeof method === 'string' ? { method } : {};
}

function describeResponse(response: unknown): object {
  const { statusCode } = (response ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? { status: statusCode } : {};
}

/** The serializers of pino for fields of these names, whoever logs them. */
export const serializers = {
  err: describeError,
  error: describeError,
  req: describeRequest,
  request: describeRequest,
  res: describeResponse,
  response: describeResponse,
};

const CREDENTIALS = ['authorization', '["proxy-authorization"]', 'cookie', '["set-cookie"]', '["idempotency-key"]'];

/** Fields that are replaced if somebody logs a header or a secret under its name. */
export const redactedPaths = [
  ...CREDENTIALS,
  ...CREDENTIALS.map((name) => (name.startsWith('[') ? `headers${name}` : `headers.${name}`)),
  'password',
  'secret',
  'token',
];

/** The public id of an API key stays, so that the key can be revoked. Any other bearer token is removed. */
const API_KEY = /as_(live|test)_([0-9A-Za-z]{8})_[0-9A-Za-z]+/g;
const BEARER = /\b(bearer) +(?!as_(?:live|test)_)[\w.~+/=-]+/gi;

/** Removes keys and tokens from a finished line, and escapes its invisible characters. */
export function cleanLine(line: string): string {
  return escapeUnseen(line.replace(API_KEY, 'as_$1_$2_[redacted]').replace(BEARER, '$1 [redacted]'));
}

/**
 * Control characters, invisible characters, and characters that change the direction of the text after them. A terminal
 * would act on them, show nothing, or show another name. JSON permits most of them unescaped.
 */
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--\n]/gv;

/** Escapes invisible characters as `\uXXXX`, which is the same text in JSON. Line feeds stay. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeOf(character.charCodeAt(index))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
