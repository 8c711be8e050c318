import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { hasShape, type Dto } from './dto-shape.js';
import { UnreadBody } from './unread-body.js';
import { validateBody } from './validate-body.js';
import { validateQuery } from './validate-query.js';

/**
 * The global pipe: `@Body() body: SomeDto` and `@Query() query: SomeDto` arrive as validated instances. Path parameters
 * are left as the strings that they are.
 *
 * What no class declares is refused, since Nest would let it pass unchecked: `@Query('limit')`, `@Body() body: SomeDto[]`,
 * an interface. For a body or a query as it came there are the types `UnreadBody` and `URLSearchParams`.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  /**
   * @throws {ApiError} as `validateBody` and `validateQuery`, and as the body's `read`.
   * @throws {TypeError} when the handler does not declare its input with a class.
   */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type === 'body') return this.body(value, metadata);
    if (metadata.type === 'query') return this.query(value, metadata);
    return value;
  }

  private async body(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const dto = dtoOf(metadata);
    if (metadata.metatype === UnreadBody) return value;
    return validateBody(dto, await (value as UnreadBody).read());
  }

  private query(value: unknown, metadata: ArgumentMetadata): unknown {
    const dto = dtoOf(metadata);
    if (!(value instanceof URLSearchParams)) throw new TypeError('Something has replaced the parsed query');
    return metadata.metatype === URLSearchParams ? value : validateQuery(dto, value);
  }
}

/** Whether the pipe can make a handler's input of this class, or gives it as it came. */
export function isChecked(type: Dto): boolean {
  return GIVEN_AS_THEY_CAME.includes(type) || hasShape(type);
}

const GIVEN_AS_THEY_CAME: readonly unknown[] = [UnreadBody, URLSearchParams];

function dtoOf({ type, metatype, data }: ArgumentMetadata): Dto {
  const decorator = type === 'body' ? '@Body' : '@Query';
  if (data !== undefined) throw new TypeError(`Declare ${decorator}() with a class instead of ${decorator}('${data}')`);
  // An interface or a list has the type Object or Array here, which then is found to declare nothing.
  return (metatype ?? Object) as Dto;
}
