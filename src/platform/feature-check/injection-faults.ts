const LOOP = 'two of its providers or modules need each other; give one of them the other by forwardRef()';
const NO_MODULE = 'one of its modules imports what is no module; add it to its controllers or providers instead';

/**
 * The sentence for each exception of Nest or TypeORM, by the name of its class. Some sentences take parts of its
 * message.
 */
const SENTENCES: Readonly<Record<string, string | ((error: Unresolved) => string)>> = {
  CircularDependencyException: LOOP,
  UndefinedForwardRefException: LOOP,
  InvalidModuleException: NO_MODULE,
  InvalidClassModuleException: NO_MODULE,
  UndefinedModuleException: undefinedIn,
  UndefinedModuleEntryException: undefinedIn,
  InvalidProviderException: (error) => {
    const [provider = '', module = 'one of its modules'] = partsOf(error, /provider (.+) in the (\S+) "providers"/);
    return `${module} has a provider ${provider} without useClass, useValue, useFactory or useExisting; two files that import each other leave one undefined`;
  },
  UnknownExportException:
    'one of its modules exports what it neither provides nor imports; add it to its providers or imports',
  UnknownRequestMappingException:
    'one of its controllers has no @Controller(); decorate it, or add it to the providers instead',
  InvalidMiddlewareException: 'one of its middlewares has no method use(); give it one',
  InvalidEnhancerException:
    'one of its guards, pipes, interceptors or filters lacks the method of its kind, such as canActivate(); name a class that has it',
  UnknownDependenciesException: ({ type, context }) => missing(String(type), context?.name),
  UndefinedDependencyException: () => missing('a provider', undefined),
  UnknownElementException: (error) => {
    const [name = 'a provider'] = partsOf(error, /find (.+) element/);
    return `${name} is asked of ModuleRef, and no module has it; add it to the providers of one`;
  },
  MissingPrimaryColumnError: (error) => {
    const [entity = 'An entity'] = partsOf(error, /"(.+)"/);
    return `${entity} has no primary column; give it one by @PrimaryGeneratedColumn() or @PrimaryColumn()`;
  },
};

/** An exception for a missing dependency: Nest adds the provider as `type` and the missing token as `context.name`. */
type Unresolved = Error & { readonly type?: unknown; readonly context?: { readonly name?: unknown } };

/**
 * A sentence that says how to correct an error of Nest's injector or of TypeORM's entities.
 *
 * @returns undefined for any other error.
 */
export function injectionReason(error: Error): string | undefined {
  const sentence = SENTENCES[error.constructor.name];
  return typeof sentence === 'function' ? sentence(error) : sentence;
}

function partsOf({ message }: Error, pattern: RegExp): string[] {
  return pattern.exec(message)?.slice(1) ?? [];
}

function undefinedIn(error: Error): string {
  const [index = '', module = 'one of its modules', list = 'lists'] = partsOf(
    error,
    /\[(\d+)\] of the (\S+) "(\w+)" array/,
  );
  return `${module} has undefined at [${index}] of its ${list}; two files that import each other leave it so: move what both need into a third file, or use forwardRef()`;
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

/** At run time an interface is `Object`, and a class imported by `import type` is `Function`. */
function nameOf(token: unknown): string | undefined {
  if (typeof token === 'function') return token === Object || token === Function ? undefined : token.name;
  return typeof token === 'string' || typeof token === 'symbol' ? String(token) : undefined;
}
