import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { checkFields, hasShape, shapeOf, type Dto } from './dto.js';
import { bodyPrecedence, queryPrecedence, refusal, type Fault } from './faults.js';
import { validateBody } from './validate-body.js';

/**
 * A request body that nobody has read. The last guard of the platform reads it for a handler that declares
 * `@Body() body: SomeDto`; one that declares `@Body() body: UnreadBody` gets it as it is and reads it itself.
 */
export abstract class UnreadBody {
  /**
   * The parsed JSON of the body.
   *
   * @throws {ApiError} body_required, unsupported_media_type, payload_too_large, invalid_json.
   */
  abstract read(): Promise<unknown>;
}

/** The pipes of a feature's own, which come after the global one. */
export interface OtherPipes {
  /** Whether an argument has some. */
  isPiped(argument: ArgumentMetadata): boolean;
  /** Resolves when those of path and query had their say, where there are some; undefined where nothing is waited for. */
  parametersFirst(): Promise<void> | undefined;
}

const NO_OTHERS: OtherPipes = { isPiped: () => false, parametersFirst: () => undefined };

/**
 * The global pipe: what a class with validation decorators declares arrives as a validated instance, be it the body, the
 * query, the parameters of the path or one field of a body. What is taken by its name arrives as the type that it is
 * declared with. An interface, a list and what a pipe of a feature's own takes by name are left to the feature.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  constructor(private readonly others: OtherPipes = NO_OTHERS) {}

  /**
   * @throws {ApiError} as `validateBody`, `validateQuery` and `validateParams`.
   * @throws {TypeError} for a class that declares nothing.
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

/** Whether the pipe can make a handler's input of this class, or leaves it as it came. */
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
 * `request.query` as Express has it: an object without a prototype, of texts, and of lists where a name is given more than
 * once. Brackets in a name mean nothing.
 *
 * @param text what the URL has after its first `?`; null where there is none.
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
 * The query that such an object was made of.
 *
 * @throws {TypeError} for any other object: what is validated is the query of the URL.
 */
function parsedQueryOf(query: unknown): URLSearchParams {
  const parsed = (query as { readonly [PARSED]?: URLSearchParams } | undefined)?.[PARSED];
  if (parsed === undefined) throw new TypeError('Something has replaced the parsed query');
  return parsed;
}

/**
 * Makes a DTO of a query, exactly what its decorators declare. Names and values are decoded as
 * application/x-www-form-urlencoded (WHATWG URL), which never fails: broken percent-encoding is a value like another.
 *
 * @param query parsed, or as the URL has it after its first `?`.
 * @throws {ApiError} unknown_parameter, duplicate_parameter or invalid_parameter, the first of them that applies; the
 * message names every parameter that is wrong.
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
 * Refuses the parameters of a query that a handler takes none of, and those that are given twice.
 *
 * @param known the names that it takes, each with whether it may be given more than once.
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

/** The constructor drops one leading `?`; given here, the query's own is kept. */
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
 * Makes a DTO of the parameters of a path, as far as its decorators declare them.
 *
 * @throws {ApiError} invalid_parameter, whose message names every parameter that is wrong.
 */
export function validateParams<T extends object>(dto: Dto<T>, params: Readonly<Record<string, unknown>>): T {
  const shape = shapeOf(dto);
  const given = Object.fromEntries(Object.entries(params).filter(([name]) => shape.names.has(name)));
  const { instance, faults } = checkFields(shape, given);
  if (faults.length > 0) throw refusal(faults, queryPrecedence);
  return instance;
}

/** What a value of a declared type must be, and what makes it one; undefined for a value that is none. */
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
 * A parameter, or a field of a body, that a handler takes by its name, as the type that it is declared with.
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
