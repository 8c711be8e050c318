import { CircularDependencyException } from '@nestjs/core/errors/exceptions/circular-dependency.exception.js';
import { UndefinedDependencyException } from '@nestjs/core/errors/exceptions/undefined-dependency.exception.js';
import { UndefinedForwardRefException } from '@nestjs/core/errors/exceptions/undefined-forwardref.exception.js';
import { UnknownDependenciesException } from '@nestjs/core/errors/exceptions/unknown-dependencies.exception.js';
import { UnknownExportException } from '@nestjs/core/errors/exceptions/unknown-export.exception.js';

/**
 * What Nest could not put together, in words that say what to write instead.
 *
 * @returns undefined for any other error.
 */
export function injectionReason(error: unknown): string | undefined {
  if (error instanceof UnknownDependenciesException) return missing(String(error.type), error.context.name);
  if (error instanceof CircularDependencyException || error instanceof UndefinedForwardRefException) {
    return 'two of its providers or modules need each other; give one of them the other by forwardRef()';
  }
  if (error instanceof UndefinedDependencyException) return missing('a provider', undefined);
  if (error instanceof UnknownExportException) {
    return 'one of its modules exports what it neither provides nor imports; add it to its providers or imports';
  }
  return undefined;
}

function missing(type: string, token: unknown): string {
  const name = nameOf(token);
  if (name === undefined) {
    return (
      `${type} needs what is undefined while the program runs; import its class without 'import type', ` +
      'give an interface a token by @Inject(), and use forwardRef() between files that import each other'
    );
  }
  return (
    `${type} needs ${name}, which its module does not have; ` +
    `add ${name} to the providers of that module, or import the module that exports it`
  );
}

/** Of an interface nothing is left but `Object`. */
function nameOf(token: unknown): string | undefined {
  if (typeof token === 'function') return token === Object ? undefined : token.name;
  return typeof token === 'string' || typeof token === 'symbol' ? String(token) : undefined;
}
