import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { hasShape, type Dto } from './dto-shape.js';
import { fieldOf, parameterOf } from './single-value.js';
import { validateBody, validateParams, validateQuery } from './validate-body.js';

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
    return isScalar(metatype) ? fieldOf(metatype, data, value) : validateBody(metatype as Dto, value, data);
  }

  private query(value: unknown, metadata: ArgumentMetadata): unknown {
    const { data, metatype } = metadata;
    if (data !== undefined) return this.others.isPiped(metadata) ? value : parameterOf(metatype, data, value);
    const parsed = parsedQueryOf(value);
    if (metatype === URLSearchParams) return parsed;
    if (isLeft(metatype) || isScalar(metatype) || (isUndeclared(metatype) && this.others.isPiped(metadata)))
      return value;
    return validateQuery(metatype as Dto, parsed);
  }

  private param(value: unknown, metadata: ArgumentMetadata): unknown {
    const { data, metatype } = metadata;
    if (data !== undefined) return this.others.isPiped(metadata) ? value : parameterOf(metatype, data, value);
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
 */
export function queryObject(parsed: URLSearchParams): object {
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
