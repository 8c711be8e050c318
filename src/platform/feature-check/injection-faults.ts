import * as nest from '../nest-internals.js';

const LOOP = 'two of its providers or modules need each other; give one of them the other by forwardRef()';

/** What Nest finds wrong with a module, by the class of its error. */
const SENTENCES = new Map<unknown, string>([
  [nest.CircularDependencyException, LOOP],
  [nest.UndefinedForwardRefException, LOOP],
  [
    nest.UnknownExportException,
    'one of its modules exports what it neither provides nor imports; add it to its providers or imports',
  ],
  [
    nest.InvalidClassModuleException,
    'one of its modules imports what is no module; add it to its controllers or providers instead',
  ],
  [
    nest.UnknownRequestMappingException,
    'one of its controllers has no @Controller(); decorate it, or add it to the providers instead',
  ],
  [nest.InvalidMiddlewareException, 'one of its middlewares has no method use(); give it one'],
  [
    nest.InvalidEnhancerException,
    'one of its guards, pipes, interceptors or filters lacks the method of its kind, such as canActivate(); name a class that has it',
  ],
]);

/**
 * What Nest could not put together, in words that say what to write instead.
 *
 * @returns undefined for any other error.
 */
export function injectionReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof nest.UnknownDependenciesException) return missing(String(error.type), error.context.name);
  if (error instanceof nest.UndefinedDependencyException) return missing('a provider', undefined);
  if (error instanceof nest.UnknownElementException) {
    const name = /find (.+) element/.exec(error.message)?.[1] ?? 'a provider';
    return `${name} is asked of ModuleRef, and no module has it; add it to the providers of one`;
  }
  return SENTENCES.get(error.constructor);
}

function missing(type: string, token: unknown): string {
  const name = nameOf(token);
  if (name === undefined) {
    return (
      `${type} needs what is undefined while the program runs; import its class without 'import type', ` +
      'give an interface a token by @Inject(), and use forwardRef() between files that import each other'
    );
  }
  // The token of @InjectRepository(Order).
  const entity = typeof token === 'string' ? /^(\w+)Repository$/.exec(token)?.[1] : undefined;
  if (entity !== undefined) {
    return `${type} needs ${name}, which its module does not have; add TypeOrmModule.forFeature([${entity}]) to its imports`;
  }
  return (
    `${type} needs ${name}, which its module does not have; ` +
    `add ${name} to the providers of that module, or import the module that exports it`
  );
}

/** At run time an interface is only `Object`, and a class of `import type` only `Function`. */
function nameOf(token: unknown): string | undefined {
  if (typeof token === 'function') return token === Object || token === Function ? undefined : token.name;
  return typeof token === 'string' || typeof token === 'symbol' ? String(token) : undefined;
}
