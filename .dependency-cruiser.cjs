/**
 * Who may import whom: main, bin → application → features → a feature → platform. Never back, never sideways, and a
 * folder is entered by its index.ts only. `test/repository/import-rules.spec.ts` shows each rule refusing what it forbids.
 */
const path = require('node:path');

const ENTRY = '^src/(main|bin|run-service)\\.ts$|^src/cli/';
const RUN_SERVICE = '^src/run-service\\.ts$';
const PUBLIC_API = '^src/index\\.ts$';
/** The other half of the public API, for the tests of features. */
const TESTING = '^src/testing/';
const APPLICATION = '^src/application(\\.ts$|/)';
const FEATURE_LIST = '^src/features\\.ts$';
const FEATURE = '^src/(?!platform/|cli/|application/|client/|testing/)([^/]+)/';
const FEATURE_INDEX = '^src/[^/]+/(index|[^/]+\\.feature)\\.ts$';
const SPEC = '\\.spec\\.ts$';
/** Packages that speak HTTP, and those that speak SQL, wherever they are installed. */
const HTTP =
  '(^|/)node_modules/(express|@nestjs/(platform-express|swagger)|@types/express)/|^(node:)?https?2?$|^src/platform/http/';
const SQL = '(^|/)node_modules/(typeorm|mysql2|better-sqlite3-v13|@types/better-sqlite3-v13)/|^src/platform/database/';

/** A file of a feature by its role, `pets.controller.ts` for example; the feature's folder is group 1. */
const role = (name) => `${FEATURE}.*\\.${name}\\.ts$`;

const forbidden = [
  {
    name: 'nobody-imports-an-entry',
    comment: 'main and bin start things; nothing starts them, but another team does, by the public API.',
    from: { pathNot: ENTRY },
    to: { path: ENTRY, pathNot: RUN_SERVICE },
  },
  {
    name: 'only-entries-and-the-public-api-run-the-service',
    comment: 'run-service.ts is the whole of a main.ts.',
    from: { pathNot: [ENTRY, PUBLIC_API] },
    to: { path: RUN_SERVICE },
  },
  {
    name: 'nobody-imports-the-public-api',
    comment: 'src/index.ts and src/testing are for other packages. A file in here imports the concern itself.',
    from: { path: '^src/', pathNot: [SPEC, TESTING] },
    to: { path: [PUBLIC_API, TESTING] },
  },
  {
    name: 'client-stands-alone',
    comment: 'The client runs in browsers: it takes nothing of the service, of Node.js or of packages.',
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
    comment: 'The application is put together for main, bin and other packages; what it is made of does not know it.',
    from: { path: '^src/', pathNot: [ENTRY, PUBLIC_API, TESTING, APPLICATION, SPEC] },
    to: { path: APPLICATION },
  },
  {
    name: 'feature-list-only-from-above',
    comment: 'features.ts names what this service ships.',
    from: { path: '^src/', pathNot: ['^src/(main|bin|data-source)\\.ts$', APPLICATION, SPEC] },
    to: { path: FEATURE_LIST },
  },
  {
    name: 'feature-only-from-the-list',
    comment: 'features.ts plugs a feature in and index.ts shows it to other packages; nobody else knows one by name.',
    from: { path: '^src/[^/]+\\.ts$|^src/(cli|application|testing)/', pathNot: [FEATURE_LIST, PUBLIC_API, SPEC] },
    to: { path: FEATURE },
  },
  {
    name: 'feature-by-its-index',
    comment: 'A feature is entered by its index.ts or NAME.feature.ts.',
    from: { path: [FEATURE_LIST, PUBLIC_API] },
    to: { path: FEATURE, pathNot: FEATURE_INDEX },
  },
  {
    name: 'no-feature-to-feature',
    comment: 'Features know nothing of each other: what two need belongs to the platform.',
    from: { path: FEATURE },
    to: { path: FEATURE, pathNot: '^src/$1/' },
  },
  {
    name: 'platform-knows-nothing-above',
    comment: 'The platform serves features that it does not know.',
    from: { path: '^src/platform/' },
    to: { path: '^src/', pathNot: '^src/platform/' },
  },
  {
    name: 'concern-by-its-index',
    comment: 'A concern of the platform is entered by its index.ts.',
    from: { path: '^src/', pathNot: '^src/platform/[^/]+/' },
    to: { path: '^src/platform/[^/]+/', pathNot: '^src/platform/[^/]+/index\\.ts$' },
  },
  {
    name: 'concern-by-its-index-from-a-concern',
    comment: 'A concern of the platform is entered by its index.ts, by other concerns too.',
    from: { path: '^src/platform/([^/]+)/' },
    to: { path: '^src/platform/[^/]+/', pathNot: ['^src/platform/[^/]+/index\\.ts$', '^src/platform/$1/'] },
  },
  {
    name: 'controller-knows-no-sql',
    comment: 'A controller speaks HTTP and asks its service.',
    from: { path: role('controller') },
    to: { path: [SQL, '\\.(repository|entity)\\.ts$'] },
  },
  {
    name: 'service-knows-no-http',
    comment: 'A service is the rules of the business, whoever asks: no request, no response, no wire object.',
    from: { path: role('service') },
    to: { path: [HTTP, '\\.(dto|controller)\\.ts$'] },
  },
  {
    name: 'repository-knows-no-http',
    comment: 'A repository is the SQL of one table: no wire object, and nothing of what is above it.',
    from: { path: role('repository') },
    to: { path: [HTTP, '\\.(dto|controller|service)\\.ts$'] },
  },
  {
    name: 'no-cycle',
    comment: 'Two files that need each other are one idea, or hide a third.',
    // Entities with relations both ways need each other, as TypeORM has it.
    from: { path: '^(src|test)/', pathNot: '^test/extension/ordinary/.*\\.entity\\.ts$' },
    to: { circular: true },
  },
  {
    name: 'tests-see-the-outside-only',
    comment:
      'A black-box test that imports the source can pass on what is not served. A feature of a test has the public API.',
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
    comment: 'A package that another one happens to bring can be gone tomorrow.',
    from: { path: '^(src|test)/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'resolvable',
    comment: 'An import of nothing.',
    from: { path: '^(src|test)/' },
    to: { couldNotResolve: true },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    // An import of a type binds two files as much as one of a value.
    tsPreCompilationDeps: true,
    // As Node looks packages up for an `import`.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    tsConfig: { fileName: path.join(__dirname, 'tsconfig.json') },
  },
};
