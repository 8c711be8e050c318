import { swcOptions } from './test/support/swc-options.mjs';

/**
 * Sources and tests are ES modules with relative imports that end in `.js`. SWC compiles the TypeScript files next to
 * them.
 */
const typescript = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/artifacts/'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
};

/** Black-box tests use the built service through its sockets, its log and its database only. */
const blackBox = (folder, options = {}) => ({
  ...typescript,
  displayName: folder,
  testMatch: [`<rootDir>/test/${folder}/**/*.spec.ts`],
  globalSetup: '<rootDir>/test/support/global-setup.mts',
  globalTeardown: '<rootDir>/test/support/global-teardown.mts',
  setupFilesAfterEnv: ['error-shape', 'close-leftovers'].map((name) => `<rootDir>/test/support/${name}.ts`),
  ...options,
});

export default {
  projects: [
    { ...typescript, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    blackBox('contract'),
    blackBox('faults'),
    blackBox('extension'),
    blackBox('browser'),
    blackBox('documents'),
    {
      ...typescript,
      displayName: 'repository',
      testMatch: ['<rootDir>/test/repository/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/built.mts',
    },
  ],
  // Three workers keep two cores busy, since a black-box test mostly waits for its service.
  maxWorkers: 3,
  // With `--experimental-vm-modules` a worker never frees ES modules, so a worker that grows too large is replaced.
  workerIdleMemoryLimit: '1GB',
  // A busy machine is slow, which is no failure.
  testTimeout: 120_000,
  reporters: [
    '<rootDir>/test/support/short-failures.reporter.mjs',
    'default',
    '<rootDir>/test/support/tally.reporter.mjs',
  ],
};
