import { swcOptions } from './test/support/swc-options.mjs';

/** Source and tests are ES modules with relative imports that end in `.js`; SWC turns the TypeScript beside them into ESM. */
const typescript = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/artifacts/'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
};

/** Black-box tests: they see the built service through its sockets, its log and its database only. */
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
  // Three at once keep two cores busy: a black-box test mostly waits for the service that it started.
  maxWorkers: 3,
  // An ES module under `--experimental-vm-modules` is never freed by its worker, so a fat worker is replaced.
  workerIdleMemoryLimit: '1GB',
  // A machine that is busy with other work is late, not wrong.
  testTimeout: 120_000,
  reporters: [
    '<rootDir>/test/support/short-failures.reporter.mjs',
    'default',
    '<rootDir>/test/support/tally.reporter.mjs',
  ],
};
