export { Public, RequireScope, ClientContext, CurrentClient, type Client } from './access.decorators.js';
export { ApiKeyEntity } from './api-key.entity.js';
export { ApiKeyGuard, ClientQuota, FailedAuthLimit } from './api-key.guard.js';
export { isPublicId, keyEnvironmentOf, parseApiKey } from './api-key.js';
export { ApiKeyStore, createFirstKey, KeyProblem } from './api-key.store.js';
export { ApiKeysFileWriter } from './api-keys-file.writer.js';
export { AuthModule } from './auth.module.js';
export { MiddlewareAccess } from './middleware-access.js';
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
export { ApiKeysFileError } from './read-api-keys.js';
export { LoggedKeyAudit } from './key-audit.js';
export { CreateApiKeys1764201500000 } from './migrations/create-api-keys.1764201500000.js';
export { Refusal } from './refusal.js';
export { dayOf, nameOfDay, stateOf, type KeyState, type StoredApiKey } from './stored-api-key.js';
