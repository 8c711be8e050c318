import { RequestMethod } from '@nestjs/common';
import { SWAGGER } from '../nest-internals.js';
import type { Route } from './route.js';

/**
 * Gives operations their operationIds: what `@ApiOperation` says, else the handler's name where that names the resource
 * (`listPets` of PetsController), else both: `create` of CatsController is `createCat`, and `findAll`, a GET whose path
 * ends in no parameter, is `findAllCats`. Where two controllers have the same name, the one that comes later has
 * its path too, `findAllCatsAtWildCats`: no operation is renamed by another one that comes later.
 */
export class OperationIds {
  private readonly taken = new Map<string, Handled>();
  /** Operations that got another id than their own. */
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

  /** The operation that a route means by an id: one of its controller's, else of its feature's, else any. */
  meantBy(operationId: string, { controller, feature }: Handled): string {
    const known = this.taken.get(operationId);
    const others = this.renamed.filter(({ own }) => own === operationId);
    const inController =
      known?.controller === controller ? undefined : others.find(({ route }) => route.controller === controller);
    const inFeature = known?.feature === feature ? undefined : others.find(({ route }) => route.feature === feature);
    return (inController ?? inFeature)?.id ?? operationId;
  }
}

/** The parts of a route that name its operation; the path as documents write it, without the base path. */
type Handled = Pick<Route, 'controller' | 'handler' | 'handlerName' | 'feature' | 'path'>;

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function ownIdOf({ controller, handler, handlerName: name, path }: Handled): string {
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

/** `ponies` → `pony`; an unknown word stays as it is. */
function singular(word: string): string {
  if (/[^aeiou]ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|us|x|ch|sh)es$/i.test(word)) return word.slice(0, -2);
  return /(?<!ve)(?<![su])s$/i.test(word) ? word.slice(0, -1) : word;
}
