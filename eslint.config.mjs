/**
 * The lint rules of this tree.
 *
 * Cast: verification/style/import-rules.mjs (who may import whom among projects and packages), `featureImports` (among
 * the rooms of one app), `restrictedSyntax` (refused everywhere), then the language rules.
 *
 * Guarantees: a fresh project graph at every run (a stale one passes everything, so no daemon and no lint cache);
 * type information for every .ts file; verification/style/lint-bites.spec.ts has a wrong example for each house rule
 * and expects exactly that rule to refuse it.
 */
import process from 'node:process';
import { defineConfig, globalIgnores } from 'eslint/config';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { featureZones, importRestrictions, moduleBoundaries } from './verification/style/import-rules.mjs';

process.env.NX_DAEMON = 'false';
process.env.NX_ISOLATE_PLUGINS = 'false';
const { createProjectGraphAsync } = await import('@nx/devkit');
const { default: nx } = await import('@nx/eslint-plugin');

// The Nx rule reads the graph from its cache file; making the graph here is what makes that file true.
const graph = await createProjectGraphAsync({ exitOnError: false, resetDaemonClient: false });
if (!graph.nodes.contracts)
  throw new Error('the Nx project graph is empty: run `npx nx reset` and lint again');

// ---- rooms of one app: `people: ['audit']` lets all rooms of apps/<app>/people import apps/<app>/audit ----
const ofData = ['audit', 'callers', 'crypto'];
const ofIntake = ['requests/intake', 'requests/shared-writes'];
const ofForms = ['calls', 'controls', 'messages', 'session', 'text'];
const ofLists = [...ofForms, 'keyboard', 'lists'];
const featureImports = {
  gateway: {
    console: ['bundles', 'forwarding', 'live'],
    live: ['forwarding'],
    'reference-page': ['bundles', 'front-page'],
  },
  reference: {
    guides: [],
    navigation: ['guides'],
    search: ['guides'],
    swagger: ['access'],
  },
  'connector-edge': { forwarding: ['authentication'], shop: ['authentication'] },
  'order-core': {
    audit: ['callers', 'csv'],
    callers: ['crypto'],
    documents: ['crypto'],
    'documents/internal-http': ['documents/documents'],
    erasure: [...ofData, 'orders', 'requests/intake', 'requests/prescriptions', 'requests/review'],
    orders: [...ofData, 'people/directory'],
    'orders/lots': ['csv', 'orders/orders'],
    'orders/orders': ['csv', 'orders/counts', 'orders/parcels', 'orders/stock'],
    'orders/pipeline': ['orders/counts', 'orders/orders'],
    'orders/settings': ['orders/orders', 'orders/stock'],
    'orders/stock': ['csv'],
    people: ['audit', 'callers'],
    'people/sign-on': ['crypto', 'people/directory', 'people/staff'],
    'people/staff': ['crypto', 'people/directory'],
    'people/views': ['people/directory', 'people/staff'],
    reports: ['csv', 'people/directory'],
    requests: [...ofData, 'documents/documents', 'people/directory'],
    'requests/intake': ['orders/orders', 'orders/parcels', 'orders/stock', 'requests/shared-writes'],
    'requests/prescriptions': ofIntake,
    'requests/review': ['csv', 'orders/counts', 'orders/orders', 'orders/stock', ...ofIntake],
    'requests/proof': ['orders/orders', 'requests/intake', 'requests/review'],
    'requests/customer': ['orders/orders', 'requests/intake', 'requests/review'],
    'requests/search': ['orders/pipeline', 'requests/intake', 'requests/review'],
    // The fixtures: only specs may import them.
    spec: ['crypto', 'documents', 'erasure', 'orders', 'people', 'reports', 'requests'],
  },
  catalog: {
    assortment: ['shops'],
    inventory: ['products'],
    products: ['shops'],
    'shop-products': ['products', 'shops'],
    reservations: ['inventory'],
    'order-events': ['reservations'],
    spec: [
      'assortment',
      'catalog-products',
      'inventory',
      'order-events',
      'products',
      'reservations',
      'shop-products',
      'shops',
    ],
  },
  console: {
    controls: ['keyboard', 'text'],
    customer: [...ofForms, 'lists', 'orders/orders', 'requests/hints', 'requests/review'],
    calls: [],
    messages: ['calls', 'controls', 'text'],
    session: ['calls', 'controls', 'messages', 'text'],
    keyboard: ofForms,
    lists: ['controls', 'keyboard', 'messages', 'session', 'text'],
    'signing-in': ['calls', 'controls', 'messages', 'session', 'text'],
    frame: [...ofForms, 'keyboard', 'requests/review', 'signing-in'],
    live: ['calls', 'controls', 'keyboard', 'session', 'text'],
    plots: ['controls', 'text'],
    'settings/forms': ofForms,
    views: [...ofForms, 'keyboard', 'settings/forms'],
    'requests/held': ['calls', 'messages', 'session'],
    'requests/document': ['controls', 'keyboard', 'messages', 'requests/paper', 'session', 'text'],
    'requests/hints': ['requests/paper', 'text'],
    'requests/paper': ['controls', 'text'],
    'requests/edits': ['text'],
    'requests/review': [
      ...ofLists,
      'live',
      'requests/document',
      'requests/edits',
      'requests/held',
      'requests/hints',
      'requests/paper',
    ],
    'requests/inbox': [...ofLists, 'live', 'views', 'requests/edits', 'requests/held', 'requests/review'],
    'orders/orders': [...ofLists, 'live', 'requests/held', 'views'],
    'orders/printing': [...ofForms, 'keyboard', 'orders/orders'],
    'orders/packing': [
      'controls',
      'keyboard',
      'lists',
      'messages',
      'session',
      'text',
      'orders/orders',
      'orders/printing',
    ],
    stock: [...ofLists, 'live', 'plots', 'views'],
    products: [...ofLists, 'live', 'views'],
    recall: [...ofLists, 'orders/orders'],
    prescriptions: [...ofLists, 'requests/document', 'views'],
    reports: [...ofForms, 'lists', 'orders/orders', 'plots'],
    webhooks: [...ofLists, 'settings/forms', 'views'],
    audit: [...ofLists, 'settings/staff', 'views'],
    settings: [...ofForms, 'settings/forms'],
    'settings/me': ['signing-in'],
    'settings/sign-on': ['signing-in'],
    'settings/workflow': ['orders/orders'],
    'settings/review': ['requests/review'],
  },
  'webhook-worker': {
    retention: ['deliveries'],
    subscriptions: ['deliveries'],
    spec: ['deliveries', 'events', 'subscriptions'],
  },
};

const specs = ['**/*.spec.ts', 'apps/*/spec/*.ts'];
/** Of verification: projects with rules of imports that differ from those of the others. */
const TEST_PROJECTS = ['verification/kit/**', 'verification/stories/**'];
const everywhere = ['**/*.{ts,tsx}'];

// ---- syntax that is refused everywhere ----
const restrictedSyntax = [
  {
    selector:
      'TSAsExpression > TSAsExpression, TSAsExpression > TSTypeAssertion, TSTypeAssertion > TSAsExpression',
    message: 'no double cast: parse the value, or give it the right type where it is made.',
  },
  {
    selector: 'ExportAllDeclaration, ExportNamedDeclaration[source]',
    message: 'no barrel: import from the file that declares the name.',
  },
  {
    selector:
      'CallExpression[callee.object.name="jest"][callee.property.name=/^(mock|doMock|unstable_mockModule|setMock)$/]',
    message: 'no module mocks: use the real database, bus and HTTP from the testkit.',
  },
  {
    selector:
      'CallExpression[callee.object.name="jest"][callee.property.name="spyOn"]:not([arguments.0.name=/^(Date|Math|performance)$/])',
    message: 'only clock and randomness are faked.',
  },
  {
    selector:
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(only|skip)$/], CallExpression[callee.name=/^(fit|fdescribe|xit|xdescribe|xtest)$/]',
    message: 'no focused or skipped test.',
  },
  {
    // The types of a constructor's parts differ; a callback has what its caller passes.
    selector:
      'FunctionDeclaration[params.length>4], MethodDefinition[kind!="constructor"] > FunctionExpression[params.length>4], :not(CallExpression) > ArrowFunctionExpression[params.length>4]',
    message: 'at most four positional parameters: take the others as an object.',
  },
  {
    selector:
      'SpreadElement > :matches(ObjectExpression, ArrayExpression), JSXSpreadAttribute > ObjectExpression, TSRestType > TSTupleType',
    message: 'no spread of a literal: write its members.',
  },
];
/** Texts of the console are in apps/console/text, or beside their feature as <feature>.de.ts and <feature>.en.ts. */
const literalText = {
  selector:
    'JSXText[value=/[A-Za-zÄÖÜäöüß]/], JSXExpressionContainer > Literal[value=/[A-Za-zÄÖÜäöüß]/], JSXAttribute[name.name=/^(?:aria-label|aria-description|aria-roledescription|alt|title|label|hint|placeholder)$/] > Literal',
  message: 'no literal text in JSX: add it to apps/console/text, or to <feature>.de.ts and <feature>.en.ts.',
};
const unguardedFetch = {
  name: 'fetch',
  message: 'every outbound request goes through the guard in libs/egress.',
};

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', '.nx/', '.data*/', 'tools/trials/integrator/', '**/generated/']),
  {
    linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-constant-binary-expression': 'error',
      'no-debugger': 'error',
      'no-empty': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable': 'error',
      'no-unreachable-loop': 'error',
      'no-unsafe-finally': 'error',
    },
  },
  {
    files: everywhere,
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { '@nx': nx, 'import-x': importX },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    settings: {
      // Without the resolver no-cycle sees neither a .ts file nor an alias, and passes everything.
      'import-x/extensions': ['.ts', '.tsx'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver-next': [
        createNodeResolver({
          extensions: ['.ts', '.tsx', '.js', '.json', '.node'],
          conditionNames: ['types', 'require', 'node', 'default'],
          tsconfig: { configFile: `${import.meta.dirname}/tsconfig.base.json` },
        }),
      ],
    },
    rules: {
      '@nx/enforce-module-boundaries': moduleBoundaries([]),
      'import-x/no-restricted-paths': [
        'error',
        { basePath: import.meta.dirname, zones: featureZones(featureImports) },
      ],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-self-import': 'error',
      'no-console': 'error',
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', 80],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],

      // Relaxed from strictTypeChecked, each for a reason:
      // a Nest module is an empty class under a decorator
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // numbers and truth values read well in messages; objects and undefined stay refused
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // `() => doIt()` is the usual callback, `return send(…)` the usual early way out
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Nest's options are classes, and everyone writes them as literals
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // DTOs and configurations are classes that hold data only; what is spread is their data
      '@typescript-eslint/no-misused-spread': 'off',
      // it believes that nothing changes during an await, and calls `if (this.stopped) return` unnecessary
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // at a border an async function without await turns a throw into a rejection, on purpose
      '@typescript-eslint/require-await': 'off',
      // `query<Row>(sql)` names the row type of a statement where the statement is
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  importRestrictions(),
  {
    files: ['apps/console/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      'no-restricted-syntax': ['error', ...restrictedSyntax, literalText],
      // redirect() and notFound() of the router are thrown, and are not errors
      '@typescript-eslint/only-throw-error': 'off',
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts', 'clients/**/*.ts'],
    ignores: [...specs, 'apps/console/**', 'apps/reference/**', 'libs/egress/**', 'clients/**'],
    rules: { 'no-restricted-globals': ['error', unguardedFetch] },
  },
  { files: ['**/*.d.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['clients/**/*.ts'],
    ignores: specs,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^@offizin/',
              message: 'the client is published alone: it knows the OpenAPI document only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: specs,
    rules: {
      // a describe block is a function for ESLint
      'max-lines-per-function': 'off',
      '@nx/enforce-module-boundaries': moduleBoundaries(['lib:testkit']),
      'import-x/no-restricted-paths': [
        'error',
        { basePath: import.meta.dirname, zones: featureZones(featureImports, ['spec']) },
      ],
      // A test reads replies as they come over the wire, and expect.objectContaining() is untyped.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['{tools,verification}/**/*.ts'],
    // local-stack has the rules of a library
    ignores: [...TEST_PROJECTS, 'tools/local-stack/**'],
    rules: {
      'no-console': 'off',
      // tools read the apps' own tables (routes, configuration, migrations) and use the client; no alias reaches them
      '@nx/enforce-module-boundaries': moduleBoundaries([], ['^(\\.\\./)+(apps|clients)/']),
    },
  },
  {
    files: ['verification/**/*.ts'],
    ignores: TEST_PROJECTS,
    rules: {
      '@nx/enforce-module-boundaries': moduleBoundaries([], ['^(\\.\\./)+(apps|clients|tools)/']),
    },
  },
  {
    files: ['verification/stories/**/*.ts'],
    rules: {
      // end-to-end tests of an integrator use the published client
      '@nx/enforce-module-boundaries': moduleBoundaries(['lib:testkit'], ['^(\\.\\./)+clients/']),
    },
  },
  {
    files: ['**/*.cjs', '**/*.mjs', '**/*.js'],
    extends: [tseslint.configs.base],
    rules: { 'no-var': 'error', 'prefer-const': 'error' },
  },
  {
    files: ['apps/**/*.mjs'], // The Nx rule reads .ts files only.
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./)+(tools|verification)/',
              message: 'tools and tests stand above the apps: move the shared part down.',
            },
          ],
        },
      ],
    },
  },
);
