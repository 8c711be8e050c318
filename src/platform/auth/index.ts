export { Public, RequireScope, ClientContext, CurrentClient, type Client } from './access.decorators.js';
export { ApiKeyEntity } from './api-key.entity.js';
export { ApiKeyGuard, MiddlewareAccess } from './api-key.guard.js';
export {
  dayOf,
  isPublicId,
  keyEnvironmentOf,
  nameOfDay,
  publicIdOf,
  stateOf,
  type KeyState,
  type StoredApiKey,
} from './api-key.js';
export { ApiKeyStore, createFirstKey, KeyProblem } from './api-key.store.js';
export { ApiKeysFileWriter } from './api-keys-file.writer.js';
export { AuthModule } from './auth.module.js';
export { Refusal } from './authenticator.js';
export { ObjectPolicies, PolicyFor, type ObjectPolicy } from './object-policies.js';
export {
  parseDuration,
  parseInstant,
  EVERYTHING,
  faultOfClient,
  faultOfScopes,
  MAX_CLIENT_LENGTH,
  MAX_SCOPES_LENGTH,
  printable,
  printableJson,
} from './key-terms.js';
export { ApiKeysFileError } from './api-keys-file.js';
export { LoggedKeyAudit } from './key-audit.js';
export { CreateApiKeys1764201500000 } from './migrations/create-api-keys.1764201500000.js';
