/** How SWC turns the project's TypeScript into ES modules, for Jest and for `host.mjs`: Node itself knows no decorators. */
export const swcOptions = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    // As tsconfig.json has it: Nest and class-validator read the types that the decorators leave behind.
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
