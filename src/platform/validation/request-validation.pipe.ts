import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { checkFields, hasShape, shapeOf, type Dto } from './dto.js';
import { bodyPrecedence, queryPrecedence, refusal, type Fault } from './faults.js';
import { validateBody } from './validate-body.js';

/**
 * The request body before it is read. The last guard of the platform reads the body for a handler that declares
 * `@Body() body: SomeDto`. A handler that declares `@Body() body: UnreadBody` reads the body itself.
 */
export abstract class UnreadBody {
  /**
   * Reads the body and parses its JSON.
   *
   * @throws {ApiError} body_required, unsupported_media_type, payload_too_large, invalid_json.
   */
  abstract read(): Promise<unknown>;
}

/** The pipes that a feature declares. Nest runs them after the global pipe. */
export interface OtherPipes {
  /** Whether the feature declares a pipe for this argument. */
  isPiped(argument: ArgumentMetadata): boolean;
  /** Resolves after the feature's pipes for path and query have run; undefined if there is nothing to wait for. */
  parametersFirst(): Promise<void> | undefined;
}

const NO_OTHERS: OtherPipes = { isPiped: () => false, parametersFirst: () => undefined };

/**
 * The global pipe. An argument declared with a DTO class arrives as a validated instance: the body, the query, the path
 * parameters or one field of the body. A parameter or field taken by its name arrives as its declared type. The pipe
 * does not change interfaces, lists, and arguments taken by name that have a pipe of the feature.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  constructor(private readonly others: OtherPipes = NO_OTHERS) {}

  /**
   * @throws {ApiError} as `validateBody`, `validateQuery` and `validateParams`.
   * @throws {TypeError} for a class without validation decorators.
   */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    switch (metadata.type) {
      case 'body': {
        const turn = this.others.parametersFirst();
        return turn === undefined ? this.body(value, metadata) : turn.then(() => this.body(value, metadata));
      }
      case 'query':
        return this.query(value, metadata);
      case 'param':
        return this.param(value, metadata);
      default:
        return value;
    }
  }

  private body(value: unknown, metadata: ArgumentMetadata): unknown {
    const { data, metatype } = metadata;
    if (isLeft(metatype) || (isUndeclared(metatype) && this.others.isPiped(metadata))) return value;
    if (data === undefined) return isScalar(metatype) ? value : validateBody(metatype as Dto, value);
    if (this.others.isPiped(metadata)) return value;
    return isScalar(metatype) ? namedValue(value, metadata) : validateBody(metatype as Dto, value, data);
  }

  private query(value: unknown, metadata: ArgumentMetadata): unknown {
    const { data, metatype } = metadata;
    if (data !== undefined) return this.others.isPiped(metadata) ? value : namedValue(value, metadata);
    const parsed = parsedQueryOf(value);
    if (metatype === URLSearchParams) return parsed;
    if (isLeft(metatype) || isScalar(metatype) || (isUndeclared(metatype) && this.others.isPiped(metadata)))
      return value;
    return validateQuery(metatype as Dto, parsed);
  }

  private param(value: unknown, metadata: ArgumentMetadata): unknown {
    const { data, metatype } = metadata;
    if (data !== undefined) return this.others.isPiped(metadata) ? value : namedValue(value, metadata);
    const isDto = !isLeft(metatype) && !isUndeclared(metatype);
    return isDto ? validateParams(metatype as Dto, value as Record<string, unknown>) : value;
  }
}

/**
 * Whether the pipe can handle an argument of this class: it validates or converts the value, or passes it unchanged.
 */
export function isChecked(type: Dto): boolean {
  return isLeft(type) || isScalar(type) || type === URLSearchParams || hasShape(type);
}

const LEFT: readonly unknown[] = [undefined, Object, Array, Date, Buffer, UnreadBody];
const SCALARS: readonly unknown[] = [String, Number, Boolean, BigInt];

const isLeft = (type: unknown): boolean => LEFT.includes(type);
const isScalar = (type: unknown): boolean => SCALARS.includes(type);
const isUndeclared = (type: unknown): boolean => isScalar(type) || !hasShape(type as Dto);

const PARSED = Symbol('animal-store:parsed-query');

/**
 * Parses `request.query` in the format of Express: an object without a prototype, whose values are strings, or lists
 * for a name that is given more than once. Brackets in a name have no special meaning.
 *
 * @param text the part of the URL after its first `?`; null if there is none.
 */
export function parseQuery(text: string | null): object {
  const parsed = parametersOf(text ?? '');
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const name of new Set(parsed.keys())) {
    const values = parsed.getAll(name);
    query[name] = values.length > 1 ? values : (values[0] as string);
  }
  return Object.defineProperty(query, PARSED, { value: parsed });
}

/**
 * The query that `parseQuery` parsed.
 *
 * @throws {TypeError} for any other object: only the query of the URL is validated.
 */
function parsedQueryOf(query: unknown): URLSearchParams {
  const parsed = (query as { readonly [PARSED]?: URLSearchParams } | undefined)?.[PARSED];
  if (parsed === undefined) throw new TypeError('Something has replaced the parsed query');
  return parsed;
}

/**
 * Creates a DTO from a query, exactly as its decorators declare. Names and values are decoded as
 * application/x-www-form-urlencoded (WHATWG URL). Decoding never fails: broken percent-encoding is kept as part of the
 * value.
 *
 * @param query parsed, or the part of the URL after its first `?`.
 * @throws {ApiError} unknown_parameter, duplicate_parameter or invalid_parameter, the first of them that applies. The
 * message names the parameters at fault.
 */
export function validateQuery<T extends object>(dto: Dto<T>, query: URLSearchParams | string): T {
  const shape = shapeOf(dto);
  const given: Record<string, unknown> = {};
  const unknown = new Set<string>();
  const repeated = new Set<string>();
  for (const [name, value] of parametersOf(query)) {
    if (!shape.names.has(name)) unknown.add(name);
    else if (Object.hasOwn(given, name)) repeated.add(name);
    else given[name] = value;
  }
  const { instance, faults } = checkFields(shape, given);
  const all = [...[...repeated].map(duplicateParameter), ...faults, ...[...unknown].map(unknownParameter)];
  if (all.length > 0) throw refusal(all, queryPrecedence);
  return instance;
}

/**
 * Refuses the query parameters that a handler does not take, and those that are given twice although it takes one
 * value.
 *
 * @param known the names that the handler takes, each with whether it may be repeated.
 * @throws {ApiError} unknown_parameter, duplicate_parameter.
 */
export function refuseQuery(query: URLSearchParams | string, known: ReadonlyMap<string, boolean> = new Map()): void {
  const given = parametersOf(query);
  const names = [...new Set(given.keys())];
  const repeated = names.filter((name) => known.get(name) === false && given.getAll(name).length > 1);
  const unknown = names.filter((name) => !known.has(name));
  const all = [...repeated.map(duplicateParameter), ...unknown.map(unknownParameter)];
  if (all.length > 0) throw refusal(all, queryPrecedence);
}

/** `URLSearchParams` drops one leading `?`. With an extra one, a `?` that belongs to the query is kept. */
const parametersOf = (query: URLSearchParams | string): URLSearchParams =>
  typeof query === 'string' ? new URLSearchParams(`?${query}`) : query;

const unknownParameter = (name: string): Fault => ({
  kind: 'unknown',
  field: '',
  name,
  problem: 'is not a known parameter',
});

const duplicateParameter = (field: string): Fault => ({ kind: 'duplicate', field, problem: 'is given more than once' });

/**
 * Creates a DTO from the path parameters that its decorators declare. Other path parameters are ignored.
 *
 * @throws {ApiError} invalid_parameter; the message names every parameter at fault.
 */
export function validateParams<T extends object>(dto: Dto<T>, params: Readonly<Record<string, unknown>>): T {
  const shape = shapeOf(dto);
  const given = Object.fromEntries(Object.entries(params).filter(([name]) => shape.names.has(name)));
  const { instance, faults } = checkFields(shape, given);
  if (faults.length > 0) throw refusal(faults, queryPrecedence);
  return instance;
}

/**
 * How a declared scalar type is read: the message for an invalid value, and the conversions, which return undefined for
 * it.
 */
interface Kind {
  readonly problem: string;
  readonly ofText: (text: string) => unknown;
  readonly ofJson: (value: unknown) => unknown;
}

const INTEGER = /^-?(?:0|[1-9]\d{0,18})$/;

const kinds = new Map<unknown, Kind>([
  [String, { problem: 'must be a string', ofText: (text) => text, ofJson: (value) => ifType('string', value) }],
  [
    Number,
    {
      problem: 'must be a number',
      ofText: (text) => (text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)),
      ofJson: (value) => (Number.isNaN(value) ? undefined : ifType('number', value)),
    },
  ],
  [
    Boolean,
    {
      problem: 'must be true or false',
      ofText: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
      ofJson: (value) => ifType('boolean', value),
    },
  ],
  [
    BigInt,
    {
      problem: 'must be an integer',
      ofText: (text) => (INTEGER.test(text) ? ifInt64(BigInt(text)) : undefined),
      ofJson: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : ifType('bigint', value)),
    },
  ],
]);

const ifType = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined);

const ifInt64 = (value: bigint): bigint | undefined => (BigInt.asIntN(64, value) === value ? value : undefined);

/**
 * Converts a parameter or a body field that a handler takes by its name to its declared type.
 *
 * @throws {ApiError} invalid_parameter, invalid_field.
 */
function namedValue(value: unknown, { type, metatype, data: field = '' }: ArgumentMetadata): unknown {
  const kind = kinds.get(metatype);
  if (kind === undefined || value === undefined) return value;
  const isField = type === 'body';
  const made = isField ? kind.ofJson(value) : typeof value === 'string' ? kind.ofText(value) : undefined;
  if (made !== undefined) return made;
  const fault: Fault = { kind: 'invalid', field, problem: kind.problem };
  throw refusal([fault], isField ? bodyPrecedence : queryPrecedence);
}
