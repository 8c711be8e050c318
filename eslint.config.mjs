import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';
import { strictEqual } from './scripts/strict-equal.mjs';

/** The parts of Nest's core that a service may use, since they know nothing of HTTP. */
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
      // A Nest module is a class because it needs a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A number is as clear in a template as a string.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `return done()` marks the last step, whatever `done` returns.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-empty-function': ['error', { allow: ['arrowFunctions'] }],
      // `emitDecoratorMetadata` emits the declared type of a property for Nest.
      '@typescript-eslint/no-inferrable-types': ['error', { ignoreProperties: true }],
      // Names and keys are counted in code points, which is how a string spreads.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // This rule asks for the `!` that no-non-null-assertion forbids.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // A row read from the database is a plain object with an entity's fields.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // In configuration and headers an empty string means no value.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // tsconfig.json requires brackets for index signatures in some places and allows dots in others. Both are
      // readable.
      '@typescript-eslint/dot-notation': 'off',
      eqeqeq: 'error',
    },
  },
  {
    ...sources,
    rules: {
      // A longer file usually holds two ideas, and a longer function two steps.
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-depth': ['error', 3],
      complexity: ['error', 12],
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      // The service logs; only the command line writes to a terminal.
      'no-console': 'error',
    },
  },
  {
    // These are separate packages, but their `animal-store` is the source here, as tsconfig.json says.
    files: ['examples/**/*.ts', 'templates/**/*.ts', 'bench/plain-nest/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.json' } },
    // `node:test` handles the promises that describe and it return.
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
  // Written as other teams write.
  {
    files: ['test/extension/ordinary/{gazette,modules}/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.{ts,mts}', 'bench/**/*.ts'],
    plugins: { jest: { rules: { 'strict-equal': strictEqual } } },
    rules: {
      'jest/strict-equal': 'error',
      // Jest's matchers and mocks are passed unbound.
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
