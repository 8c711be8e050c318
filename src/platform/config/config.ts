import type { DatabaseTarget } from './database-target.js';

/** What Nest injects the configuration by: `@Inject(CONFIG) config: Config`. */
export const CONFIG = Symbol('CONFIG');

/**
 * The whole configuration: parsed once at start, valid, frozen. Names that end in `Ms` are milliseconds, in `Bytes`
 * bytes. What each value means and its bounds stand in variables.ts.
 */
export interface Config {
  readonly env: 'production' | 'development' | 'test';
  readonly http: HttpConfig;
  readonly management: ManagementConfig;
  readonly database: DatabaseConfig;
  /** The names of the features that are not started. */
  readonly featuresOff: readonly string[];
  readonly migrations: 'run' | 'check' | 'off';
  readonly auth: {
    /** 0: no limit. */
    readonly failuresPerMinute: number;
    readonly keysFile: string | undefined;
    readonly cacheTtlMs: number;
  };
  readonly idempotency: { readonly retentionMs: number };
  readonly limits: {
    /** Requests per client; 0: no limit. */
    readonly perMinute: number;
    /** May hold a password: never log it. */
    readonly redisUrl: string | undefined;
  };
  readonly shed: {
    /** 0: off. */
    readonly maxInflight: number;
    /** 0: off. */
    readonly loopDelayMs: number;
  };
  readonly startup: { readonly timeoutMs: number };
  readonly shutdown: { readonly delayMs: number; readonly timeoutMs: number };
  readonly log: {
    readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
    readonly format: 'pretty' | 'json';
  };
  readonly docs: {
    readonly enabled: boolean;
    /** A URL, also of the scheme `mailto`. */
    readonly contact: string | undefined;
  };
  readonly metrics: { readonly enabled: boolean };
  /** Optimizations that are left out. */
  readonly optimizationsOff: readonly string[];
  readonly otel: {
    readonly disabled: boolean;
    /** Every OTEL_ variable that is set, as it was given. May hold secrets: never log them. */
    readonly variables: Readonly<Record<string, string>>;
  };
  /** `<OPERATION_ID>_SUNSET` by what stands before `_SUNSET`, e.g. `GET_PET`: the first instant of that day in UTC. */
  readonly sunsets: ReadonlyMap<string, Date>;
  /** The values of the features' own variables, by the KEY of their `defineConfig`. */
  readonly featureValues: ReadonlyMap<symbol, Readonly<Record<string, unknown>>>;
  /** Every variable with its effective value for a person to read; secrets are masked. */
  readonly settings: readonly Setting[];
  /** What looks like a mistake and yet stops nothing, such as a misspelt variable. */
  readonly warnings: readonly string[];
}

export interface HttpConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absolute, ends in `/v1`. Undefined: `http://localhost:PORT/v1`, with the port that is listened on in the end. */
  readonly publicBaseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  readonly requestDeadlineMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly bodyLimitBytes: number;
  readonly maxConnections: number;
  /** A number of hops, or addresses and CIDR ranges: the forms that Express takes for `trust proxy`. */
  readonly trustProxy: number | readonly string[];
  /** Empty: CORS is off. */
  readonly corsOrigins: readonly string[];
}

export interface ManagementConfig {
  /** On the same host as the API. 0: any free port. */
  readonly port: number;
  readonly livenessMaxStallMs: number;
  readonly readinessChecksDatabase: boolean;
}

export interface DatabaseConfig {
  /** The target at the start; `currentDatabaseTarget` gives the one for new connections. */
  readonly target: DatabaseTarget;
  /** The file that DATABASE_URL was read from, if it was. */
  readonly urlFile: string | undefined;
  readonly poolSize: number;
  readonly maxWaiters: number;
  readonly acquireTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly connectionMaxAgeMs: number;
  readonly tls: {
    readonly mode: 'disable' | 'verify-ca' | 'verify-identity';
    readonly caFile: string | undefined;
    readonly certFile: string | undefined;
    readonly keyFile: string | undefined;
  };
  readonly causalReads: 'off' | 'galera';
}

export interface Setting {
  readonly name: string;
  /** As text, secrets masked; empty where nothing is set. */
  readonly value: string;
  readonly source: 'default' | 'environment' | 'file';
}
