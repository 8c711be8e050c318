import { PIPES_METADATA } from '../nest-internals.js';
import { coreErrors } from '../errors/index.js';
import type { Route } from '../routing/index.js';
import type { OtherPipes } from '../validation/index.js';
import { currentExchange, type Exchange } from './exchange.js';

/** Left by Nest on a request whose pipes refused it, for other packages to read. */
const REJECTED_BY_PIPES = Symbol.for('nestjs:rejected-by-pipes');

/**
 * The code of what a pipe of a feature's refused with 400, such as `ParseIntPipe`: that of a parameter or of a field.
 *
 * @returns undefined where no pipe refused anything.
 */
export function codeOfPipe({ request, route, isBodyPiped }: Exchange): string | undefined {
  const isRejected = (request as { [REJECTED_BY_PIPES]?: boolean })[REJECTED_BY_PIPES] === true;
  if (!isRejected || route === undefined) return undefined;
  const kinds = pipedKinds(route);
  const { invalidField, invalidParameter } = coreErrors;
  if (!kinds.has('body') && !kinds.has('file')) return kinds.size === 0 ? undefined : invalidParameter.code;
  return isBodyPiped || !(kinds.has('query') || kinds.has('param')) ? invalidField.code : invalidParameter.code;
}

/** What the validation pipe asks about the pipes of the request that it works for. */
export const featurePipes: OtherPipes = {
  isPiped({ type, data }) {
    const route = currentExchange()?.route;
    const input = route?.inputs.find((each) => each.kind === type && each.data === data);
    return input?.isPiped === true;
  },

  parametersFirst() {
    const exchange = currentExchange();
    if (exchange?.route === undefined || !waitsForParameters(exchange.route)) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        exchange.isBodyPiped = true;
        resolve();
      });
    });
  },
};

/** Whether a body waits until the pipes of path and query had their say, so that it is known who refused. */
function waitsForParameters(route: Route): boolean {
  const kinds = pipedKinds(route);
  return kinds.has('body') && (kinds.has('query') || kinds.has('param'));
}

function pipedKinds({ inputs, handler, controller }: Route): ReadonlySet<string> {
  const isAllPiped = [handler, controller].some((at) => Reflect.hasMetadata(PIPES_METADATA, at));
  return new Set(inputs.filter(({ isPiped }) => isPiped || isAllPiped).flatMap(({ kind }) => kind ?? []));
}
