/**
 * The options by which SWC compiles the project's TypeScript to ES modules, for Jest and `host.mjs`. Node itself does
 * not support decorators.
 */
export const swcOptions = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    // As in tsconfig.json: Nest and class-validator read the types that decorators emit.
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
