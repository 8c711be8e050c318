/** The public API: everything that another team may import, and only that. */
export { createApplication, featureDataSource, type ApplicationOptions } from './application.js';
export { pets, PetsCatalogue, type Pet, type PetStatus } from './pets/index.js';
export {
  ClientContext,
  CurrentClient,
  ObjectPolicies,
  PolicyFor,
  Public,
  RequireScope,
  type Client,
  type ObjectPolicy,
} from './platform/auth/index.js';
export { Clock, SystemClock } from './platform/time.js';
export {
  CONFIG,
  ConfigError,
  defineConfig,
  loadConfig,
  loadEnvironment,
  variable,
  type Config,
  type ConfigValues,
  type ConfigVariables,
  type Configured,
  type FeatureConfig,
  type Fault as ConfigFault,
  type DatabaseConfig,
  type DatabaseTarget,
  type HttpConfig,
  type ManagementConfig,
  type MySqlTarget,
  type Setting,
  type SqliteTarget,
} from './platform/config/index.js';
export {
  createBatcher,
  inList,
  isDuplicateKey,
  isForeignKey,
  isLocked,
  isOutcomeUnknown,
  MOST_TOGETHER,
  queryEach,
  type BatcherOptions,
  type InList,
} from './platform/database/index.js';
export {
  ApiError,
  coreErrors,
  defineErrorCode,
  StartFault,
  statusOfCategory,
  type ApiErrorOptions,
  type ErrorCategory,
  type ErrorCode,
} from './platform/errors/index.js';
export { FeatureError } from './platform/feature-check/index.js';
export { defineFeature, type Feature, type Migration, type Samples } from './platform/feature.js';
export { Health, type HealthContribution } from './platform/health/index.js';
export { Idempotent } from './platform/idempotency/index.js';
export {
  INT64_MAX,
  INT64_MIN,
  Int64Column,
  Int64Parameter,
  Int64Property,
  parseId,
  ParseIdPipe,
  parseInt64,
  type Int64Options,
} from './platform/int64.js';
export {
  crashOnUnknownFault,
  exitOnFault,
  stopOnSignal,
  welcome,
  type Application,
  type StopTimes,
} from './platform/lifecycle/index.js';
export { LOG, type Log } from './platform/logging/index.js';
export { FeatureMetrics, type Counter, type Gauge, type Histogram } from './platform/metrics/index.js';
export { Page, PageQuery, Paginated, sliceOf, type Slice } from './platform/pagination.js';
export {
  BodyLimit,
  Deprecated,
  LocatedBy,
  Raises,
  RequestDeadline,
  Stability,
  type DeprecationTerms,
} from './platform/routing/index.js';
export {
  EnumParameter,
  EnumProperty,
  IntegerParameter,
  IntegerProperty,
  StringParameter,
  StringProperty,
  TextParameter,
  TextProperty,
  UnreadBody,
  type EnumOptions,
  type IntegerOptions,
  type PropertyOptions,
  type StringOptions,
} from './platform/validation/index.js';
export { runService } from './run-service.js';
