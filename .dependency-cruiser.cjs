/**
 * Which file may import which: main and bin → application → features → one feature → platform. Never upwards, never
 * sideways, and into a folder only through its index.ts. `test/repository/import-rules.spec.ts` shows that each rule
 * refuses what it forbids.
 */
const path = require('node:path');

const ENTRY = '^src/(main|bin|data-source|run-service)\\.ts$|^src/cli/';
const RUN_SERVICE = '^src/run-service\\.ts$';
const PUBLIC_API = '^src/index\\.ts$';
/** The second part of the public API, for the tests of features. */
const TESTING = '^src/testing/';
const APPLICATION = '^src/application(\\.ts$|/)';
const FEATURE_LIST = '^src/features\\.ts$';
const FEATURE = '^src/(?!platform/|cli/|application/|client/|testing/)([^/]+)/';
const FEATURE_INDEX = '^src/[^/]+/(index|[^/]+\\.feature)\\.ts$';
const SPEC = '\\.spec\\.ts$';
/** Packages for HTTP, and packages for SQL, wherever they are installed. */
const HTTP =
  '(^|/)node_modules/(express|@nestjs/(platform-express|swagger)|@types/express)/|^(node:)?https?2?$|^src/platform/http/';
const SQL = '(^|/)node_modules/(typeorm|mysql2|better-sqlite3-v13|@types/better-sqlite3-v13)/|^src/platform/database/';

/** Matches the files of a feature by their role, for example `pets.controller.ts`. Group 1 is the feature's folder. */
const role = (name) => `${FEATURE}.*\\.${name}\\.ts$`;

const forbidden = [
  {
    name: 'nobody-imports-an-entry',
    comment: 'main and bin are entry points: no file imports them. Other packages use the public API.',
    from: { pathNot: ENTRY },
    to: { path: ENTRY, pathNot: RUN_SERVICE },
  },
  {
    name: 'only-entries-and-the-public-api-run-the-service',
    comment: 'run-service.ts does everything that a main.ts needs.',
    from: { pathNot: [ENTRY, PUBLIC_API] },
    to: { path: RUN_SERVICE },
  },
  {
    name: 'nobody-imports-the-public-api',
    comment: 'src/index.ts and src/testing are for other packages. A file of src imports the concern itself.',
    from: { path: '^src/', pathNot: [SPEC, TESTING] },
    to: { path: [PUBLIC_API, TESTING] },
  },
  {
    name: 'client-stands-alone',
    comment: 'The client runs in browsers, so it imports nothing of the service, of Node.js or of packages.',
    from: { path: '^src/client/', pathNot: SPEC },
    to: { pathNot: '^src/client/' },
  },
  {
    name: 'nobody-imports-the-client',
    comment: 'The client is for other packages.',
    from: { path: '^src/', pathNot: '^src/client/' },
    to: { path: '^src/client/' },
  },
  {
    name: 'application-only-from-above',
    comment: 'The application is assembled for main, bin and other packages. Its parts do not import it.',
    from: { path: '^src/', pathNot: [ENTRY, PUBLIC_API, TESTING, APPLICATION, SPEC] },
    to: { path: APPLICATION },
  },
  {
    name: 'feature-list-only-from-above',
    comment: 'features.ts lists the features of this service.',
    from: { path: '^src/', pathNot: ['^src/(main|bin|data-source)\\.ts$', APPLICATION, SPEC] },
    to: { path: FEATURE_LIST },
  },
  {
    name: 'feature-only-from-the-list',
    comment: 'features.ts adds a feature, index.ts exports it to other packages, and no other file knows one by name.',
    from: { path: '^src/[^/]+\\.ts$|^src/(cli|application|testing)/', pathNot: [FEATURE_LIST, PUBLIC_API, SPEC] },
    to: { path: FEATURE },
  },
  {
    name: 'feature-by-its-index',
    comment: 'A feature is imported by its index.ts or NAME.feature.ts.',
    from: { path: [FEATURE_LIST, PUBLIC_API] },
    to: { path: FEATURE, pathNot: FEATURE_INDEX },
  },
  {
    name: 'no-feature-to-feature',
    comment: 'Features do not import each other. Code that two features need belongs to the platform.',
    from: { path: FEATURE },
    to: { path: FEATURE, pathNot: '^src/$1/' },
  },
  {
    name: 'platform-knows-nothing-above',
    comment: 'The platform does not know the features that it serves.',
    from: { path: '^src/platform/' },
    to: { path: '^src/', pathNot: '^src/platform/' },
  },
  {
    name: 'concern-by-its-index',
    comment: 'A concern of the platform is imported by its index.ts.',
    from: { path: '^src/', pathNot: '^src/platform/[^/]+/' },
    to: { path: '^src/platform/[^/]+/', pathNot: '^src/platform/[^/]+/index\\.ts$' },
  },
  {
    name: 'concern-by-its-index-from-a-concern',
    comment: 'Other concerns of the platform import a concern by its index.ts too.',
    from: { path: '^src/platform/([^/]+)/' },
    to: { path: '^src/platform/[^/]+/', pathNot: ['^src/platform/[^/]+/index\\.ts$', '^src/platform/$1/'] },
  },
  {
    name: 'controller-knows-no-sql',
    comment: 'A controller handles HTTP and calls its service.',
    from: { path: role('controller') },
    to: { path: [SQL, '\\.(repository|entity)\\.ts$'] },
  },
  {
    name: 'service-knows-no-http',
    comment: 'A service holds business rules for any caller: no request, no response, no DTO.',
    from: { path: role('service') },
    to: { path: [HTTP, '\\.(dto|controller)\\.ts$'] },
  },
  {
    name: 'repository-knows-no-http',
    comment: 'A repository holds the SQL of one table: no DTO, and nothing of the layers above it.',
    from: { path: role('repository') },
    to: { path: [HTTP, '\\.(dto|controller|service)\\.ts$'] },
  },
  {
    name: 'no-cycle',
    comment: 'Two files that need each other are one idea, or share a third one that needs its own file.',
    // In TypeORM, entities with relations in both directions need each other.
    from: { path: '^(src|test)/', pathNot: '^test/extension/ordinary/.*\\.entity\\.ts$' },
    to: { circular: true },
  },
  {
    name: 'tests-see-the-outside-only',
    comment:
      'A black-box test that imports the source can pass for code that is not served. Its features use the public API.',
    from: { path: '^test/' },
    to: { path: '^src/', pathNot: PUBLIC_API },
  },
  {
    name: 'no-spec-imported',
    comment: 'A spec is run, never imported.',
    from: {},
    to: { path: SPEC },
  },
  {
    name: 'no-development-package-in-production',
    comment: 'The image is built without devDependencies.',
    from: { path: '^src/', pathNot: SPEC },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'no-undeclared-package',
    comment: 'A package that only another package depends on can disappear with its next version.',
    from: { path: '^(src|test)/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'resolvable',
    comment: 'Every import must resolve.',
    from: { path: '^(src|test)/' },
    to: { couldNotResolve: true },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    // An import of a type counts as much as an import of a value.
    tsPreCompilationDeps: true,
    // Resolves packages as Node does for an `import`.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    tsConfig: { fileName: path.join(__dirname, 'tsconfig.json') },
  },
};
