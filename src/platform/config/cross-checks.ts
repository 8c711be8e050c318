import type { Fault } from './config-error.js';
import type { Values, VariableName } from './variables.js';

interface CrossCheck {
  /** The first one is reported. */
  readonly names: readonly [VariableName, ...VariableName[]];
  readonly holds: (values: Values) => boolean;
  readonly reason: string;
}

const crossChecks: readonly CrossCheck[] = [
  {
    names: ['MANAGEMENT_PORT', 'PORT'],
    holds: (values) => values.MANAGEMENT_PORT === 0 || values.MANAGEMENT_PORT !== values.PORT,
    reason: 'must differ from PORT',
  },
  {
    names: ['REQUEST_DEADLINE_MS', 'DATABASE_ACQUIRE_TIMEOUT_MS', 'DATABASE_QUERY_TIMEOUT_MS'],
    holds: (values) =>
      values.REQUEST_DEADLINE_MS >= values.DATABASE_ACQUIRE_TIMEOUT_MS + values.DATABASE_QUERY_TIMEOUT_MS,
    reason: 'must be at least DATABASE_ACQUIRE_TIMEOUT_MS plus DATABASE_QUERY_TIMEOUT_MS',
  },
  {
    // Node.js refuses to make such a server.
    names: ['HTTP_HEADERS_TIMEOUT_MS', 'HTTP_REQUEST_TIMEOUT_MS'],
    holds: (values) => values.HTTP_HEADERS_TIMEOUT_MS <= values.HTTP_REQUEST_TIMEOUT_MS,
    reason: 'must be at most HTTP_REQUEST_TIMEOUT_MS',
  },
  {
    names: ['DATABASE_TLS_KEY_FILE', 'DATABASE_TLS_CERT_FILE'],
    holds: (values) => (values.DATABASE_TLS_KEY_FILE === undefined) === (values.DATABASE_TLS_CERT_FILE === undefined),
    reason: 'and DATABASE_TLS_CERT_FILE must be given together',
  },
];

/** What is wrong between variables that are right by themselves. Checks that involve a faulty one are left out. */
export function crossCheck(values: Values, isFaulty: (name: string) => boolean): Fault[] {
  return crossChecks
    .filter(({ names, holds }) => !names.some(isFaulty) && !holds(values))
    .map(({ names, reason }) => ({ name: names[0], reason }));
}
