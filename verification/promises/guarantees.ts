import type { Guarantee } from './guarantee';
import { appCrash } from './g01/app-crash';
import { databaseCrash } from './g02/database-crash';
import { brokerOutage } from './g03/broker-outage';
import { workerCrash } from './g04/worker-crash';
import { rollingRestart } from './g05/rolling-restart';
import { equalSubmissions } from './g06/equal-submissions';
import { races } from './g07/races';
import { eventOrder } from './g08/event-order';
import { badEndpoints } from './g09/bad-endpoints';
import { coreUnreachable } from './g10/core-unreachable';
import { databaseHole } from './g11/database-hole';
import { hostileCallers } from './g12/hostile-callers';
import { neighbours } from './g19/neighbours';
import { strangers } from './g20/strangers';
import { slowBodies } from './g21/slow-bodies';
import { poison } from './g22/poison';
import { diskAndClocks } from './g28/clock-jumps';
import { oneDisk } from './g29/one-disk';
import { erasures } from './g30/erasures';

/** Guarantees tested with faults, in the order of the design. */
export const guarantees: readonly Guarantee[] = [
  appCrash,
  databaseCrash,
  brokerOutage,
  workerCrash,
  rollingRestart,
  equalSubmissions,
  races,
  eventOrder,
  badEndpoints,
  coreUnreachable,
  databaseHole,
  hostileCallers,
  neighbours,
  strangers,
  slowBodies,
  poison,
  diskAndClocks,
  oneDisk,
  erasures,
];

/**
 * Promises that need no fault are tested by specs. A promise may have both; its spec is then the small run. `§` and a
 * number is a section of the decisions to the contract.
 */
export const heldBySpecs: readonly { id: string; promise: string; specs: string[] }[] = [
  {
    id: 'G6',
    promise: 'Small run: 200 equal submissions, order-core killed among them; repeats under one key',
    specs: [
      'verification/promises/fault-stack/outage.fault.spec.ts',
      'verification/promises/fault-stack/killed-keys.fault.spec.ts',
    ],
  },
  {
    id: 'G7',
    promise: 'Racing sales, compare-and-sets, merges of overrides',
    specs: [
      'apps/catalog/inventory/inventory.db.spec.ts',
      'apps/catalog/shop-products/shop-products.db.spec.ts',
    ],
  },
  {
    id: 'G10',
    promise: 'Small run: every operation while services hang or are gone',
    specs: [
      'verification/promises/fault-stack/calls-in-flight.fault.spec.ts',
      'verification/promises/fault-stack/outage.fault.spec.ts',
    ],
  },
  {
    id: 'G13',
    promise: 'Hostile values',
    specs: [
      'verification/promises/g13/hostile-bodies.e2e.spec.ts',
      'verification/promises/g13/hostile-values.e2e.spec.ts',
      'libs/operations/strict-json.spec.ts',
    ],
  },
  {
    id: 'G14',
    promise: 'Tenants are apart',
    specs: ['verification/stories/operations/operations-access.e2e.spec.ts'],
  },
  {
    id: 'G15',
    promise: 'Tokens and keys',
    specs: [
      'verification/promises/g15/forged-tokens.e2e.spec.ts',
      'verification/stories/people/api-keys.e2e.spec.ts',
      'verification/stories/people/oauth.e2e.spec.ts',
    ],
  },
  {
    id: 'G16',
    promise: 'Outbound requests reach no internal address',
    specs: [
      'libs/egress/address-policy.spec.ts',
      'libs/egress/guarded-agent.spec.ts',
      'libs/egress/send.spec.ts',
    ],
  },
  {
    id: 'G17',
    promise: 'Secrets and health data stay out of logs, metrics, events, broker and plain files',
    specs: [
      'verification/promises/fault-stack/secrecy.fault.spec.ts',
      'verification/kit/plain-search.spec.ts',
    ],
  },
  {
    id: 'G18',
    promise: 'Audit',
    specs: [
      'apps/order-core/audit/audit.db.spec.ts',
      'verification/stories/audit/audit-and-erasure.e2e.spec.ts',
      'verification/stories/audit/audit-coverage.e2e.spec.ts',
    ],
  },
  {
    id: 'G19',
    promise: 'Small run: fetches and reports of one tenant beside those of another',
    specs: ['verification/promises/g19/neighbours.e2e.spec.ts'],
  },
  {
    id: 'G24',
    promise: 'One stolen process does not open the house',
    specs: ['verification/promises/g24/stolen-process.alone.e2e.spec.ts'],
  },
  {
    id: 'G25',
    promise: 'Every byte that an edge answers is the contract’s',
    specs: ['verification/promises/g25/malformed-requests.e2e.spec.ts'],
  },
  {
    id: 'G26',
    promise: 'Erased is erased: answers, replays, tables, files, and a restored backup',
    specs: [
      'tools/offizin/backup/erased-is-erased.stack.spec.ts',
      'apps/order-core/erasure/erasure.db.spec.ts',
      'verification/stories/audit/audit-and-erasure.e2e.spec.ts',
    ],
  },
  {
    id: 'G28',
    promise: 'Full disk of the log: lines wait or are dropped and counted, and no process ends',
    specs: ['libs/runtime/log-output.spec.ts'],
  },
  {
    id: 'G29',
    promise: 'In Compose and Kubernetes: the health check sees a JetStream that does not answer',
    specs: ['verification/promises/g29/deployed-broker.stack.spec.ts', 'tools/deploy/kubernetes.spec.ts'],
  },
  {
    id: 'G30',
    promise: 'Small run: an erasure beside every call that stores a customer',
    specs: ['apps/order-core/erasure/erasure-races.db.spec.ts'],
  },
  {
    id: 'G31',
    promise: 'A service that lacks a migration takes no traffic',
    specs: [
      'verification/stories/operating/migration-beside-services.stack.spec.ts',
      'libs/pg/migrate.db.spec.ts',
    ],
  },
  {
    id: 'G23',
    promise: 'What was accepted can be read',
    specs: [
      'verification/stories/operations/readable.e2e.spec.ts',
      'libs/contracts/calls/reply-size.spec.ts',
      'libs/operations/cursor-pages.spec.ts',
      'apps/order-core/orders/orders/order-size.db.spec.ts',
      'apps/order-core/people/directory/directory.db.spec.ts',
    ],
  },
  {
    id: 'G27',
    promise: 'A stored answer is repeated to its own caller only, and without secrets',
    specs: [
      'libs/idempotency/idempotency.db.spec.ts',
      'libs/contracts/calls/idempotency.spec.ts',
      'verification/stories/operations/idempotency.e2e.spec.ts',
    ],
  },
  {
    id: '§10',
    promise: 'The contract to the letter',
    specs: [
      'verification/stories/operations/contract-letter.e2e.spec.ts',
      'verification/stories/operations/deltas.e2e.spec.ts',
      'verification/stories/edges/edge-rules.e2e.spec.ts',
      'libs/operations/validate.spec.ts',
    ],
  },
];
