import { spawnSync } from 'node:child_process';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** A mistake in a call or in a table: one clear line, no stack. */
export class WrongCall extends Error {}

/** Spec files, and what they depend on beyond their relative imports. Paths and globs of git, from the root. */
export interface Inputs {
  specs: string[];
  inputs: string[];
}

const CONSOLE = [
  ...['text', 'controls', 'calls', 'messages', 'session', 'keyboard', 'lists', 'signing-in', 'frame'].map(
    (room) => `apps/console/${room}/**`,
  ),
  'apps/console/theme.css',
  'verification/kit/browser/**',
  'apps/gateway/console/**',
];
const STACK = ['tools/local-stack/**', 'verification/kit/own-stack.ts'];
const SERVICES = [
  'libs/bus/**',
  'libs/events/**',
  'libs/service/**',
  'libs/pg/**',
  'apps/*/*.module.ts',
  'apps/*/main.ts',
];
const DESCRIPTION = ['libs/contracts/**', 'libs/openapi/**', 'docs/openapi/**'];

/** A story in a browser: its areas or rooms of the console, and what all rooms share. */
function story(name: string, ...rooms: string[]): Inputs {
  const inputs = rooms.map((room) => `apps/console/${room}/**`);
  return { specs: [`verification/stories/console/${name}.browser.spec.ts`], inputs: [...inputs, ...CONSOLE] };
}

/**
 * `npm test` runs these when a spec or an input changed since the last commit on which all specs passed (.ci/last-full);
 * `npm run test:all` runs them always.
 */
export const HEAVIER: readonly Inputs[] = [
  story('address', 'requests', 'orders/orders', 'stock'),
  story('requests/arming', 'requests'),
  story('audit', 'audit'),
  story('requests/documents', 'requests'),
  story('requests/e-prescription', 'requests'),
  story('requests/editing', 'requests'),
  story('requests/every-paper', 'requests'),
  story('finding', 'customer', 'requests', 'orders/orders'),
  story('requests/held', 'requests'),
  story('live', 'live', 'requests'),
  story('people/lock', 'settings/me'),
  story('people/passkeys.alone', 'settings/me'),
  story('requests/paper', 'requests'),
  story('requests/large-papers.alone', 'requests'),
  story('requests/long-papers', 'requests'),
  story('requests/pieces.alone', 'requests'),
  story('requests/prescriptions', 'prescriptions', 'requests/document'),
  story('orders/lots', 'orders'),
  story('orders/parcels', 'orders'),
  story('stock-scans', 'stock'),
  story('recall', 'recall', 'stock'),
  story('orders/printing', 'orders/printing', 'orders/orders'),
  story('products', 'products'),
  story('reports', 'reports', 'plots'),
  story('requests-and-orders', 'requests', 'orders/orders'),
  story('restarts.alone', 'live', 'requests/held'),
  story('people/review-settings', 'settings/review', 'settings/forms'),
  story('people/second-factor', 'settings/me', 'settings/forms'),
  story('people/settings', 'settings'),
  story('pages/signed-out-pages'),
  story('people/staff', 'settings/staff', 'settings/forms'),
  story('views', 'views'),
  story('webhooks', 'webhooks'),
  {
    specs: ['verification/kit/browser/browser-checks.browser.spec.ts'],
    inputs: ['verification/kit/browser/**'],
  },
  {
    specs: ['tools/demo/living-demo.browser.spec.ts'],
    inputs: ['tools/demo/**', 'tools/up/**', 'apps/console/requests/**'],
  },
  {
    specs: ['verification/stories/edges/reference-page.browser.spec.ts'],
    inputs: ['apps/reference/**', 'apps/gateway/reference-page/**', 'docs/openapi/**'],
  },
  {
    specs: ['verification/promises/chaos.stack.spec.ts'],
    inputs: ['verification/promises/g*/**', 'apps/webhook-worker/events/**', ...STACK, ...SERVICES],
  },
  {
    specs: ['verification/promises/g29/deployed-broker.stack.spec.ts'],
    inputs: ['verification/promises/g29/**', 'deploy/nats/**', 'docker-compose.yml'],
  },
  {
    specs: ['verification/stories/operating/bench.stack.spec.ts'],
    inputs: ['verification/bench/**', 'verification/kit/load/**'],
  },
  {
    specs: ['verification/stories/audit/audit-outage.stack.spec.ts'],
    inputs: ['apps/*/audit/**', 'libs/events/**'],
  },
  {
    specs: ['verification/stories/edges/callers-that-leave.stack.spec.ts'],
    inputs: ['libs/http-edge/**', 'libs/http-body/**', 'apps/*/forwarding/**'],
  },
  {
    specs: ['verification/stories/operating/cluster.stack.spec.ts'],
    inputs: ['libs/bus/**', 'libs/events/**', 'tools/local-stack/nats*.ts'],
  },
  {
    specs: ['verification/stories/operating/document-store.stack.spec.ts'],
    inputs: ['apps/order-core/documents/**', 'apps/order-core/crypto/**', 'verification/kit/object-store.ts'],
  },
  {
    specs: ['verification/stories/operating/migration-beside-services.stack.spec.ts'],
    inputs: ['libs/pg/**', 'apps/*/db/**'],
  },
  {
    specs: ['verification/stories/operating/pooler.stack.spec.ts'],
    inputs: ['libs/pg/**', 'tools/local-stack/database-roles.ts', 'deploy/postgres/**'],
  },
  {
    specs: ['verification/stories/edges/rate-limits.stack.spec.ts'],
    inputs: ['libs/http-edge/rate-limiter*', 'apps/gateway/**', 'apps/connector-edge/**'],
  },
  {
    specs: ['tools/deploy/secret-rotation.stack.spec.ts'],
    inputs: [
      'tools/deploy/secret-rotation.ts',
      'deploy/postgres/**',
      'apps/order-core/crypto/**',
      'apps/gateway/tokens/**',
      'libs/runtime/call-keys.ts',
      'deploy/nats/**',
      ...STACK,
    ],
  },
  {
    specs: ['verification/stories/products/stock-outage.stack.spec.ts'],
    inputs: [
      'apps/order-core/orders/stock/**',
      'apps/order-core/orders/pipeline/**',
      'apps/catalog/reservations/**',
    ],
  },
  {
    specs: ['verification/stories/operating/traces.stack.spec.ts'],
    inputs: ['libs/runtime/tracing*', 'libs/bus/**', 'libs/http-edge/**'],
  },
  {
    specs: ['tools/local-stack/stack.stack.spec.ts', 'tools/local-stack/postgres.db.spec.ts'],
    inputs: ['tools/local-stack/**', 'deploy/postgres/**'],
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
      'verification/stories/operating/command-line.e2e.spec.ts',
      'verification/stories/operating/command-line-nouns.e2e.spec.ts',
    ],
    inputs: ['tools/offizin/**'],
  },
  {
    specs: ['tools/docs/guides.stack.spec.ts'],
    inputs: ['docs/integrate/**', 'clients/typescript/**', 'tools/docs/**'],
  },
  {
    specs: ['clients/typescript/src/package.e2e.spec.ts'],
    inputs: ['clients/typescript/**', 'package-lock.json'],
  },
  { specs: ['tools/openapi/other-tools.spec.ts'], inputs: DESCRIPTION },
  {
    specs: ['verification/stories/operating/prometheus.e2e.spec.ts', 'tools/deploy/observability.spec.ts'],
    inputs: ['deploy/observability/**', 'libs/runtime/metrics*'],
  },
  {
    specs: ['tools/deploy/chart-registry.spec.ts'],
    inputs: ['deploy/chart/**', 'tools/deploy/helm.ts'],
  },
  {
    specs: ['chart', 'image', 'installation', 'kubernetes', 'kubernetes-surroundings', 'compose'].map(
      (name) => `tools/deploy/${name}.spec.ts`,
    ),
    inputs: [
      'deploy/**',
      'tools/deploy/**',
      'docker-compose.yml',
      'compose.build.yml',
      'apps/*/config.ts',
      'package-lock.json',
      'libs/egress/address-policy.ts',
      'tools/local-stack/secrets.ts',
    ],
  },
  {
    specs: ['verification/stories/people/oauth.e2e.spec.ts'],
    inputs: ['apps/gateway/tokens/**', 'verification/kit/oauth-libraries.mjs'],
  },
  {
    specs: ['verification/style/lint-bites.spec.ts'],
    inputs: [
      'eslint.config.mjs',
      'verification/style/import-rules.mjs',
      'tsconfig*.json',
      'package-lock.json',
    ],
  },
  {
    specs: ['verification/promises/g15/forged-tokens.e2e.spec.ts'],
    inputs: ['apps/gateway/**', 'apps/order-core/orders/**', 'libs/http-edge/**'],
  },
  {
    specs: [
      'verification/stories/edges/edge-rules.e2e.spec.ts',
      'verification/promises/g13/hostile-bodies.e2e.spec.ts',
      'verification/promises/g13/hostile-values.e2e.spec.ts',
      'verification/promises/g19/neighbours.e2e.spec.ts',
      'verification/promises/g25/malformed-requests.e2e.spec.ts',
    ],
    inputs: [
      'libs/http-edge/**',
      'libs/http-body/**',
      'libs/operations/**',
      'libs/contracts/**',
      'libs/bus/**',
      'apps/gateway/forwarding/**',
      'apps/connector-edge/**',
      'apps/order-core/documents/internal-http/**',
    ],
  },
  {
    specs: ['verification/stories/edges/served-pages.e2e.spec.ts'],
    inputs: ['apps/reference/**', 'apps/gateway/**', 'docs/openapi/**', 'apps/console/vite.config.mjs'],
  },
  {
    specs: ['verification/stories/console/live.e2e.spec.ts'],
    inputs: ['apps/gateway/live/**', 'apps/console/live/**', 'libs/events/**'],
  },
  {
    specs: ['verification/stories/console/people/sign-on.e2e.spec.ts'],
    inputs: ['apps/order-core/people/sign-on/**', 'apps/gateway/console/**'],
  },
];

/** Core stories, for `npm test -- --changed`; `npm test` runs them always. */
export const STORIES: readonly Inputs[] = [
  {
    specs: ['verification/promises/fault-stack/fault-stack.stack.spec.ts'],
    inputs: ['verification/promises/fault-stack/**'],
  },
  ...['deciding', 'four-eyes'].map((name) => story(`requests/${name}`, 'requests')),
  story('orders/orders', 'orders/orders'),
  story('orders/packing', 'orders/packing'),
  story('stock', 'stock'),
  story('people/signing-in'),
  {
    specs: ['verification/stories/console/pages/signed-in-pages.browser.spec.ts'],
    inputs: ['apps/console/**'],
  },
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
