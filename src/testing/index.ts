/** The testing kit, `animal-store/testing`, for the tests of a feature with any test runner. */
export {
  FixedClock,
  startTestApplication,
  type ProviderOverride,
  type TestApplication,
  type TestOptions,
} from './test-application.js';
export { assertPlatformRules } from './platform-rules.js';
export {
  assertError,
  errorMatchers,
  TestClient,
  type ErrorMatchers,
  type Sent,
  type TestAnswer,
} from './test-client.js';
