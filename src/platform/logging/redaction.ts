/** What a line of the log may hold: first by a list of what is allowed, then without what has the shape of a secret. */

/** An error: TypeORM's carry SQL and parameters, drivers' quote values, requests hang on some; none of it is logged. */
export function describeError(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'A value that is not an Error was thrown' };
  const { code, errno } = thrown as { code?: unknown; errno?: unknown };
  return {
    // A class of errors that is given no name of its own has that of its parent.
    type: thrown.name === 'Error' ? thrown.constructor.name : thrown.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof errno === 'number' ? { errno } : {}),
    message: messageOf(thrown),
    stack: isFromDriver(thrown) ? framesOf(thrown.stack) : thrown.stack,
  };
}

/** An error's message, unless it may quote the values of a statement: "Duplicate entry 'Rex' for key". */
export function messageOf(error: Error): string {
  return isFromDriver(error) ? 'The database failed' : error.message;
}

/** The calls of a stack, without the message that it begins with. */
export function framesOf(stack: string | undefined): string | undefined {
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return frames === undefined || frames.length === 0 ? undefined : frames.join('\n');
}

/** The stack of an error that wraps another: its own message, and the calls of the cause. */
export function stackOf(message: string, cause: unknown): string {
  const frames = cause instanceof Error ? framesOf(cause.stack) : undefined;
  return frames === undefined ? message : `${message}\n${frames}`;
}

function isFromDriver(error: Error): boolean {
  return error.name === 'QueryFailedError' || 'sqlMessage' in error || error.name === 'SqliteError';
}

/** A request that somebody logs whole: its headers are keys, its URL is what a client asks for. */
function describeRequest(request: unknown): object {
  const { method } = (request ?? {}) as { method?: unknown };
  return typeof method === 'string' ? { method } : {};
}

function describeResponse(response: unknown): object {
  const { statusCode } = (response ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? { status: statusCode } : {};
}

/** How pino writes a field of these names, whoever logs it. */
export const serializers = {
  err: describeError,
  error: describeError,
  req: describeRequest,
  request: describeRequest,
  res: describeResponse,
  response: describeResponse,
};

const CREDENTIALS = ['authorization', '["proxy-authorization"]', 'cookie', '["set-cookie"]', '["idempotency-key"]'];

/** Headers and secrets that somebody logs by name. */
export const redactedPaths = [
  ...CREDENTIALS,
  ...CREDENTIALS.map((name) => (name.startsWith('[') ? `headers${name}` : `headers.${name}`)),
  'password',
  'secret',
  'token',
];

/** An API key keeps its public id, by which it can be revoked; any other bearer token is taken out whole. */
const API_KEY = /as_(live|test)_([0-9A-Za-z]{8})_[0-9A-Za-z]+/g;
const BEARER = /\b(bearer) +(?!as_(?:live|test)_)[\w.~+/=-]+/gi;

/** The last look at a line, when it is text already. */
export function cleanLine(line: string): string {
  return escapeUnseen(line.replace(API_KEY, 'as_$1_$2_[redacted]').replace(BEARER, '$1 [redacted]'));
}

/**
 * Control characters, those without a shape of their own, and those that change the direction of what follows: a terminal
 * acts on them, or shows nothing, or another name than there is. JSON lets most of them stand.
 */
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--\n]/gv;

/** Writes them as `\uXXXX`, which in JSON is the same text. Line feeds stay. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeOf(character.charCodeAt(index))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
