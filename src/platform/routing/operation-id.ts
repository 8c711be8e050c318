import { RequestMethod } from '@nestjs/common';
import { SWAGGER } from '../nest-internals.js';
import type { Route } from './route.js';

/**
 * Gives each operation its operationId: the one of `@ApiOperation`, or the handler's name if it contains the resource
 * (`listPets` of PetsController). Otherwise the name and the resource are combined: `create` of CatsController is
 * `createCat`, and `findAll`, a GET whose path does not end in a parameter, is `findAllCats`. If the id is already
 * taken, the later operation also gets its path, `findAllCatsAtWildCats`. So a new operation never renames an earlier
 * one.
 */
export class OperationIds {
  private readonly taken = new Map<string, Handled>();
  /** Operations whose id is not their own one, because that was taken. */
  private readonly renamed: { readonly own: string; readonly id: string; readonly route: Handled }[] = [];

  of(route: Handled): string {
    const { operationId } = (Reflect.getMetadata(SWAGGER.operation, route.handler) ?? {}) as { operationId?: string };
    const own = operationId !== undefined && operationId !== '' ? operationId : ownIdOf(route);
    let id = own;
    if (operationId !== own) {
      const at = `${own}At${route.path.split(/\W+/).map(capitalized).join('')}`;
      for (let n = 1; this.taken.has(id); n++) id = n === 1 ? at : `${at}${n}`;
    }
    if (id !== own) this.renamed.push({ own, id, route });
    if (!this.taken.has(id)) this.taken.set(id, route);
    return id;
  }

  /**
   * The operation that a route refers to by an id. One of the same controller comes first, then one of the same
   * feature, then any.
   */
  meantBy(operationId: string, { controller, feature }: Handled): string {
    const known = this.taken.get(operationId);
    const others = this.renamed.filter(({ own }) => own === operationId);
    const inController =
      known?.controller === controller ? undefined : others.find(({ route }) => route.controller === controller);
    const inFeature = known?.feature === feature ? undefined : others.find(({ route }) => route.feature === feature);
    return (inController ?? inFeature)?.id ?? operationId;
  }
}

/** The parts of a route that determine its operationId. The path is written as in documents, without the base path. */
type Handled = Pick<Route, 'controller' | 'handler' | 'handlerName' | 'feature' | 'path'>;

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function ownIdOf({ controller, handler, handlerName: name, path }: Handled): string {
  const resource = controller.name.replace(/Controller$/, '');
  const noun = wordsOf(resource).at(-1) ?? '';
  // A plural may change the end of a word: shelf and shelves, pony and ponies.
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

/** `ponies` → `pony`; an unknown word is not changed. */
function singular(word: string): string {
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|us|x|ch|sh)es$/i.test(word)) return word.slice(0, -2);
  return /(?<!ve)(?<![su])s$/i.test(word) ? word.slice(0, -1) : word;
}
