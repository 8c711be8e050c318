import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';
import { strictEqual } from './scripts/strict-equal.mjs';

/** What a service may use of Nest's core: the parts that know no HTTP. */
const PLAIN_NEST = ['Inject', 'Injectable', 'OnModuleDestroy', 'OnModuleInit', 'Optional'];

const sources = { files: ['src/**/*.ts'], ignores: ['src/**/*.spec.ts'] };

export default defineConfig(
  globalIgnores(['dist/', 'artifacts/', 'coverage/', 'data/', '**/node_modules/', 'templates/package/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        AbortSignal: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        WebSocket: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { module: 'writable', __dirname: 'readonly' } },
  },
  {
    files: ['**/*.{ts,mts}'],
    extends: [typescript.configs.strictTypeChecked, typescript.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A Nest module is a class for its decorator's sake.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A number is as clear in a template as a string is.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `return done()` says that this was the last step, whatever `done` gives.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-empty-function': ['error', { allow: ['arrowFunctions'] }],
      // A property's written type is what `emitDecoratorMetadata` leaves for Nest to read.
      '@typescript-eslint/no-inferrable-types': ['error', { ignoreProperties: true }],
      // Names and keys are counted in code points here, which is what spreading a string gives.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // It asks for the `!` that no-non-null-assertion forbids.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // A row read from the database is a plain object with an entity's fields.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An empty string is as good as none in configuration and headers.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // tsconfig asks for brackets on index signatures in some places and forgives dots in others; both read well.
      '@typescript-eslint/dot-notation': 'off',
      eqeqeq: 'error',
    },
  },
  {
    ...sources,
    rules: {
      // Size is a smell: a longer file is two ideas, a longer function two steps.
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-depth': ['error', 3],
      complexity: ['error', 12],
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      // What the service has to say goes through its log; only the command line talks to a terminal.
      'no-console': 'error',
    },
  },
  {
    // A package of its own, whose `animal-store` is the source here: tsconfig.json of this project says so.
    files: ['examples/**/*.ts', 'templates/**/*.ts', 'bench/plain-nest/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.json' } },
    // `node --test` keeps the promises that its describe and it give.
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['describe', 'it', 'before', 'after'] },
          ],
        },
      ],
    },
  },
  { files: ['src/bin.ts', 'src/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['src/*/**/*.service.ts'],
    ignores: ['src/platform/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@nestjs/common',
              allowImportNames: PLAIN_NEST,
              message: 'A service knows no HTTP: throw an ApiError, leave requests and responses to the controller.',
            },
          ],
        },
      ],
    },
  },
  // As other teams write them.
  {
    files: ['test/extension/ordinary/{gazette,modules}/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.{ts,mts}', 'bench/**/*.ts'],
    plugins: { jest: { rules: { 'strict-equal': strictEqual } } },
    rules: {
      'jest/strict-equal': 'error',
      // Jest's matchers and doubles are handed over as they are.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
);
