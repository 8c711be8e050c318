/** The testing kit, `animal-store/testing`: for the tests of a feature, whatever runs them. */
export { assertError, errorMatchers, type ErrorMatchers } from './error-assertion.js';
export {
  FixedClock,
  startTestApplication,
  type ProviderOverride,
  type TestApplication,
  type TestOptions,
} from './test-application.js';
export { assertPlatformRules } from './platform-rules.js';
export { TestClient, type Sent, type TestAnswer } from './test-client.js';
