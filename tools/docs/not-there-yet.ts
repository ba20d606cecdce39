import type { ProductionCode } from './production-code';

/** What the contract or the design names, and how to see that it is there. docs/not-there-yet.md lists the rest. */
export const WANTED: readonly { what: string; isThere: (code: ProductionCode) => boolean }[] = [
  {
    what: '`Idempotency-Key` on POST',
    isThere: ({ thrownCodes }) => thrownCodes.has('idempotency_key_reused'),
  },
  { what: 'Rate limits', isThere: ({ thrownCodes }) => thrownCodes.has('rate_limited') },
  { what: 'Cursors in lists', isThere: ({ mentions }) => mentions('libs/contracts/paging.ts', 'cursor') },
  {
    what: 'The OpenAPI description at `/openapi/external-api.yaml` of the gateway',
    isThere: ({ mentions }) => mentions('apps/gateway/', 'external-api.yaml'),
  },
  { what: 'A workflow of an organization’s own', isThere: ({ hasOperation }) => hasOperation('workflow') },
  {
    what: 'Moving an order back (`force`)',
    isThere: ({ mentions }) => mentions('libs/contracts/orders.ts', 'force'),
  },
  {
    what: 'The setting `stock_follows_orders`',
    isThere: ({ mentions }) => mentions('apps/', 'stock_follows_orders'),
  },
  {
    what: 'Clarification of order requests',
    isThere: ({ mentions }) => mentions('libs/contracts/', 'order-requests.request-clarification'),
  },
  {
    what: 'The event `order_payment_updated`: a payment change is told by the other order events',
    isThere: ({ mentions }) => mentions('apps/order-core/', "'order_payment_updated'"),
  },
  {
    what: 'Audit entries of changes in catalog and webhook-worker',
    isThere: ({ mentions }) =>
      mentions('apps/catalog/', 'audit') && mentions('apps/webhook-worker/', 'audit'),
  },
  {
    what: 'Expiry of undecided order requests (`REQUEST_EXPIRY_DAYS` is read and not used)',
    isThere: ({ mentions }) => mentions('apps/order-core/', 'requestExpiryDays', 'apps/order-core/config.ts'),
  },
  {
    what: 'Prescription checks: used before, signature, number of pages',
    isThere: ({ mentions }) => mentions('apps/order-core/', '/pdf-signature'),
  },
  { what: 'Prescription ingest', isThere: ({ hasOperation }) => hasOperation('prescriptions.') },
  { what: 'Reports', isThere: ({ hasOperation }) => hasOperation('reports.') },
  { what: 'Reading the audit log', isThere: ({ hasOperation }) => hasOperation('audit') },
  { what: 'Erasure of a customer’s data', isThere: ({ hasOperation }) => hasOperation('customers.') },
  { what: 'Staff, sessions and the console', isThere: ({ hasOperation }) => hasOperation('staff') },
  {
    what: 'Counters for exact totals: the order list counts its rows',
    isThere: ({ mentions }) => mentions('apps/order-core/', 'order_count_deltas'),
  },
  { what: 'Benchmarks', isThere: ({ exists }) => exists('tools/bench') },
  { what: 'Fault tests', isThere: ({ exists }) => exists('tools/chaos') },
  { what: 'A typed client', isThere: ({ exists }) => exists('clients/typescript') },
  { what: 'Kubernetes', isThere: ({ exists }) => exists('deploy/kubernetes') },
  { what: 'Traces', isThere: ({ mentions }) => mentions('libs/', '@opentelemetry/') },
];
