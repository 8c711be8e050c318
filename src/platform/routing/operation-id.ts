import { SWAGGER } from '../nest-internals.js';
import { RequestMethod, type Type } from '@nestjs/common';

/**
 * The operationId of a handler: what `@ApiOperation` says, else the handler's name where that names the resource
 * (`listPets` of PetsController), else both: `create` of CatsController is `createCat`, and `findAll`, a GET whose path
 * ends in no parameter, is `findAllCats`. So the usual names of two controllers do not collide, and no operation is
 * renamed by another one that comes later.
 *
 * @param path as documents write it.
 */
export function operationIdOf(controller: Type, name: string, path: string): string {
  const prototype = controller.prototype as Record<string, (...args: never[]) => unknown>;
  const handler = prototype[name] as object;
  const { operationId } = (Reflect.getMetadata(SWAGGER.operation, handler) ?? {}) as { readonly operationId?: string };
  if (operationId !== undefined && operationId !== '') return operationId;
  const resource = controller.name.replace(/Controller$/, '');
  const noun = wordsOf(resource).at(-1) ?? '';
  // Shelf and shelves, pony and ponies: a plural changes the end of a word.
  const stem = noun.slice(0, Math.max(3, noun.length - 3));
  if (wordsOf(name).some((word) => word.startsWith(stem))) return name;
  const method = Reflect.getMetadata('method', handler) as RequestMethod;
  const isList = method === RequestMethod.GET && !path.endsWith('}');
  return name + (isList ? resource : resource.slice(0, -noun.length) + singular(resource.slice(-noun.length)));
}

/** `findAllCats` → `find`, `all`, `cats` */
function wordsOf(name: string): string[] {
  return name
    .split(/(?=[A-Z])|_/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '');
}

/** `ponies` → `pony`; a word that this does not know stays as it is. */
function singular(word: string): string {
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|us|x|ch|sh)es$/i.test(word)) return word.slice(0, -2);
  return /(?<!ve)(?<![su])s$/i.test(word) ? word.slice(0, -1) : word;
}
