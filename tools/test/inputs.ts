import { spawnSync } from 'node:child_process';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { WrongCall } from './wrong-call';

/** Spec files, and what they depend on beyond their relative imports. Paths and globs of git, from the root. */
export interface Inputs {
  specs: string[];
  inputs: string[];
}

const CONSOLE = [
  ...['apps/console/controls/**', 'apps/console/shell/**', 'apps/console/text/**', 'apps/console/theme.css'],
  ...['libs/testkit/browser/**', 'apps/gateway/console/**'],
];
const STACK = ['libs/local-stack/**', 'libs/testkit/own-stack.ts'];
const SERVICES = [
  'libs/bus/**',
  'libs/events/**',
  'libs/service/**',
  'libs/pg/**',
  'apps/*/*.module.ts',
  'apps/*/main.ts',
];
const DESCRIPTION = ['libs/contracts/**', 'libs/openapi/**', 'docs/openapi/**'];

/** A story in a browser: its rooms of the console, and what all rooms share. */
function story(name: string, ...rooms: string[]): Inputs {
  const inputs = rooms.map((room) => `apps/console/${room}/**`);
  return { specs: [`e2e/console/${name}.browser.spec.ts`], inputs: [...inputs, ...CONSOLE] };
}

/**
 * `npm test` runs these when a spec or an input changed since the last commit on which all specs passed (.ci/last-full);
 * `npm run test:all` runs them always.
 */
export const HEAVIER: readonly Inputs[] = [
  story('address', 'requests', 'orders', 'stock'),
  story('api-keys', 'api-keys', 'settings'),
  story('arming', 'requests'),
  story('audit', 'audit'),
  story('documents', 'document', 'requests'),
  story('editing', 'requests'),
  story('held', 'held', 'requests'),
  story('live', 'live', 'requests'),
  story('lock', 'sign-in', 'me'),
  story('magnified', 'requests', 'orders'),
  story('marks', 'requests'),
  story('me', 'me', 'settings'),
  story('note', 'requests', 'orders'),
  story('passkeys.alone', 'me', 'sign-in'),
  story('prescriptions', 'prescriptions', 'document'),
  story('printing', 'printing', 'orders'),
  story('products', 'products'),
  story('reports', 'reports', 'plots'),
  story('restarts.alone', 'live', 'held'),
  story('review-settings', 'review-settings', 'settings'),
  story('second-factor', 'me', 'sign-in', 'settings'),
  story('selecting', 'requests', 'orders'),
  story('shops', 'shops', 'settings'),
  story('sign-on', 'sign-on', 'settings'),
  story('signed-out-pages', 'sign-in'),
  story('staff', 'staff', 'settings'),
  story('views', 'views'),
  story('webhooks', 'webhooks'),
  story('workflow', 'workflow', 'settings'),
  { specs: ['e2e/browser-checks.browser.spec.ts'], inputs: ['libs/testkit/browser/**'] },
  {
    specs: ['tools/demo/living-demo.browser.spec.ts'],
    inputs: ['tools/demo/**', 'tools/up/**', 'apps/console/requests/**'],
  },
  {
    specs: ['e2e/reference-page.browser.spec.ts'],
    inputs: ['apps/reference/**', 'apps/gateway/reference-page/**', 'docs/openapi/**'],
  },
  {
    specs: ['verification/faults/chaos.stack.spec.ts'],
    inputs: ['verification/faults/**', ...STACK, ...SERVICES],
  },
  { specs: ['e2e/bench.stack.spec.ts'], inputs: ['verification/bench/**'] },
  { specs: ['e2e/audit-outage.stack.spec.ts'], inputs: ['apps/*/audit/**', 'libs/events/**'] },
  {
    specs: ['e2e/callers-that-leave.stack.spec.ts'],
    inputs: ['libs/http-edge/**', 'libs/http-body/**', 'apps/*/forwarding/**'],
  },
  {
    specs: ['e2e/cluster.stack.spec.ts'],
    inputs: ['libs/bus/**', 'libs/events/**', 'libs/local-stack/nats*.ts'],
  },
  {
    specs: ['e2e/document-store.stack.spec.ts'],
    inputs: ['apps/order-core/documents/**', 'apps/order-core/crypto/**', 'libs/testkit/object-store.ts'],
  },
  {
    specs: ['e2e/full-event-stream.stack.spec.ts'],
    inputs: ['libs/events/**', 'apps/webhook-worker/events/**'],
  },
  {
    specs: ['e2e/long-migration.e2e.spec.ts', 'e2e/migration-beside-services.stack.spec.ts'],
    inputs: ['libs/pg/**', 'apps/*/db/**'],
  },
  {
    specs: ['e2e/pooler.stack.spec.ts'],
    inputs: ['libs/pg/**', 'libs/local-stack/database-roles.ts', 'deploy/postgres/**'],
  },
  {
    specs: ['e2e/rate-limits.stack.spec.ts'],
    inputs: ['libs/http-edge/rate-limiter*', 'apps/gateway/**', 'apps/connector-edge/**'],
  },
  {
    specs: ['e2e/rotation.stack.spec.ts'],
    inputs: [
      'apps/order-core/crypto/**',
      'apps/gateway/tokens/**',
      'libs/runtime/call-keys.ts',
      'deploy/nats/**',
      ...STACK,
    ],
  },
  {
    specs: ['e2e/stock-outage.stack.spec.ts'],
    inputs: [
      'apps/order-core/orders/stock/**',
      'apps/order-core/orders/pipeline/**',
      'apps/catalog/reservations/**',
    ],
  },
  {
    specs: ['e2e/traces.stack.spec.ts'],
    inputs: ['libs/runtime/tracing*', 'libs/bus/**', 'libs/http-edge/**'],
  },
  {
    specs: ['libs/local-stack/stack.stack.spec.ts', 'libs/local-stack/postgres.db.spec.ts'],
    inputs: ['libs/local-stack/**', 'deploy/postgres/**'],
  },
  {
    specs: [
      ...['backup', 'erased-is-erased', 'standby'].map(
        (name) => `tools/offizin/backup/${name}.stack.spec.ts`,
      ),
      'tools/deploy/restore-drill.db.spec.ts',
    ],
    inputs: [
      'tools/offizin/backup/**',
      'apps/order-core/erasure/**',
      'apps/order-core/db/**',
      'libs/pg/standby*',
      ...STACK,
    ],
  },
  {
    specs: [
      'e2e/command-line.e2e.spec.ts',
      'e2e/command-line-nouns.e2e.spec.ts',
      'e2e/command-line-orders.e2e.spec.ts',
    ],
    inputs: ['tools/offizin/**'],
  },
  {
    specs: ['tools/docs/guides.stack.spec.ts'],
    inputs: ['docs/guides/**', 'clients/typescript/**', 'tools/docs/**'],
  },
  {
    specs: ['clients/typescript/src/package.e2e.spec.ts'],
    inputs: ['clients/typescript/**', 'package-lock.json'],
  },
  { specs: ['tools/openapi/lint.spec.ts', 'tools/openapi/generated-types.spec.ts'], inputs: DESCRIPTION },
  {
    specs: ['e2e/prometheus.e2e.spec.ts', 'tools/deploy/observability.spec.ts'],
    inputs: ['deploy/observability/**', 'libs/runtime/metrics*'],
  },
  {
    specs: [
      'image',
      'image-build',
      'image-pins',
      'kubernetes',
      'kubernetes-surroundings',
      'cloudnative-pg',
      'compose',
    ].map((name) => `tools/deploy/${name}.spec.ts`),
    inputs: ['deploy/**', 'tools/deploy/**', 'docker-compose.yml', 'apps/*/config.ts', 'package-lock.json'],
  },
  {
    specs: ['e2e/oauth.e2e.spec.ts'],
    inputs: ['apps/gateway/tokens/**', 'libs/testkit/oauth-libraries.mjs'],
  },
  {
    specs: ['tools/tidy/lint-bites.spec.ts'],
    inputs: ['eslint.config.mjs', 'tools/tidy/import-rules.mjs', 'tsconfig*.json', 'package-lock.json'],
  },
  {
    specs: ['forged-tokens', 'order-history-months', 'undeclared-proxy'].map(
      (name) => `e2e/${name}.e2e.spec.ts`,
    ),
    inputs: ['apps/gateway/**', 'apps/order-core/orders/orders/**', 'libs/http-edge/**'],
  },
  {
    specs: [
      ...['hostile-bodies', 'hostile-values', 'malformed-requests', 'generated-requests', 'large-documents'],
      ...['edge-rules', 'neighbours'],
    ].map((name) => `e2e/${name}.e2e.spec.ts`),
    inputs: [
      ...['libs/http-edge/**', 'libs/http-body/**', 'libs/operations/**', 'libs/contracts/**', 'libs/bus/**'],
      ...[
        'apps/gateway/forwarding/**',
        'apps/connector-edge/**',
        'apps/order-core/documents/internal-http/**',
      ],
    ],
  },
  {
    specs: ['reference-page', 'reference-samples', 'front-page', 'console-files'].map(
      (name) => `e2e/${name}.e2e.spec.ts`,
    ),
    inputs: ['apps/reference/**', 'apps/gateway/**', 'docs/openapi/**', 'apps/console/vite.config.mjs'],
  },
  {
    specs: ['e2e/console/live.e2e.spec.ts', 'e2e/console/live-gateways.e2e.spec.ts'],
    inputs: ['apps/gateway/live/**', 'apps/console/live/**', 'libs/events/**'],
  },
  {
    specs: ['e2e/console/sign-on.e2e.spec.ts'],
    inputs: ['apps/order-core/people/sign-on/**', 'apps/gateway/console/**'],
  },
];

/** Core stories, for `npm test -- --changed`; `npm test` runs them always. */
export const STORIES: readonly Inputs[] = [
  { specs: ['e2e/fault-stack.stack.spec.ts'], inputs: ['e2e/faults/**'] },
  ...['deciding', 'four-eyes'].map((name) => story(name, 'requests', 'document', 'held')),
  story('orders', 'orders'),
  story('packing', 'packing'),
  story('stock', 'stock'),
  story('signing-in', 'sign-in'),
  { specs: ['e2e/console/signed-in-pages.browser.spec.ts'], inputs: ['apps/console/**'] },
];

/** Throws with one line when a path or glob names no file: it would never bring its specs back. */
export function refuseEmptyGlobs(): void {
  const globs = [...HEAVIER, ...STORIES].flatMap(({ specs, inputs }) => [...specs, ...inputs]);
  const patterns = globs.map((glob) => `:(glob)${glob}`);
  const { status, stderr } = spawnSync(
    'git',
    ['ls-files', '--cached', '--error-unmatch', '--', ...patterns],
    {
      cwd: checkoutRoot,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0)
    throw new WrongCall(`tools/test/inputs.ts names no file: ${stderr.split('\n')[0] ?? ''}. Correct it.`);
}
