import type { Guarantee } from './guarantee';
import { appCrash } from './promises/g01-app-crash';
import { databaseCrash } from './promises/g02-database-crash';
import { brokerOutage } from './promises/g03-broker-outage';
import { workerCrash } from './promises/g04-worker-crash';
import { rollingRestart } from './promises/g05-rolling-restart';
import { equalSubmissions } from './promises/g06-equal-submissions';
import { races } from './promises/g07-races';
import { eventOrder } from './promises/g08-event-order';
import { badEndpoints } from './promises/g09-bad-endpoints';
import { coreUnreachable } from './promises/g10-core-unreachable';
import { databaseHole } from './promises/g11-database-hole';
import { hostileCallers } from './promises/g12-hostile-callers';
import { neighbours } from './promises/g19-neighbours';
import { strangers } from './promises/g20-strangers';
import { slowBodies } from './promises/g21-slow-bodies';
import { poison } from './promises/g22-poison';
import { stolenProcess } from './promises/g24-stolen-process';
import { malformedRequests } from './promises/g25-malformed-requests';
import { diskAndClocks } from './promises/g28-clock-jumps';

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
  stolenProcess,
  malformedRequests,
  diskAndClocks,
];

/**
 * Promises that need no fault are tested by specs. A promise may have both. `§` and a number is a section of the
 * decisions to the contract.
 */
export const heldBySpecs: readonly { id: string; promise: string; specs: string[] }[] = [
  {
    id: 'G13',
    promise: 'Hostile values',
    specs: [
      'e2e/generated-requests.e2e.spec.ts',
      'e2e/hostile-values.e2e.spec.ts',
      'e2e/hostile-bodies.e2e.spec.ts',
      'libs/operations/strict-json.spec.ts',
    ],
  },
  { id: 'G14', promise: 'Tenants are apart', specs: ['e2e/tenants.e2e.spec.ts'] },
  {
    id: 'G15',
    promise: 'Tokens and keys',
    specs: [
      'e2e/forged-tokens.e2e.spec.ts',
      'e2e/tokens.e2e.spec.ts',
      'e2e/oauth.e2e.spec.ts',
      'e2e/api-keys.e2e.spec.ts',
    ],
  },
  {
    id: 'G16',
    promise: 'Outbound requests reach no internal address',
    specs: [
      'libs/egress/address-policy.spec.ts',
      'libs/egress/guarded-agent.spec.ts',
      'libs/egress/target-url.spec.ts',
      'libs/egress/send.spec.ts',
    ],
  },
  {
    id: 'G17',
    promise: 'Secrets and health data stay out of logs, metrics, events, broker and plain files',
    specs: ['e2e/faults/secrecy.fault.spec.ts', 'libs/testkit/plain-search.spec.ts'],
  },
  {
    id: 'G18',
    promise: 'Audit',
    specs: [
      'apps/order-core/audit/audit.db.spec.ts',
      'e2e/audit-and-erasure.e2e.spec.ts',
      'e2e/audit-coverage.e2e.spec.ts',
    ],
  },
  {
    id: 'G26',
    promise: 'Erased is erased: answers, replays, tables, files, and a restored backup',
    specs: [
      'tools/offizin/backup/erased-is-erased.stack.spec.ts',
      'apps/order-core/erasure/erasure.db.spec.ts',
      'e2e/audit-and-erasure.e2e.spec.ts',
    ],
  },
  {
    id: 'G28',
    promise: 'Full disk of the log: lines wait or are dropped and counted, and no process ends',
    specs: ['libs/runtime/log-output.spec.ts'],
  },
  {
    id: 'G23',
    promise: 'What was accepted can be read',
    specs: [
      'e2e/readable.e2e.spec.ts',
      'libs/contracts/reply-size.spec.ts',
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
      'libs/contracts/idempotency.spec.ts',
      'e2e/idempotency.e2e.spec.ts',
    ],
  },
  {
    id: '§10',
    promise: 'The contract to the letter',
    specs: [
      'e2e/contract-letter.e2e.spec.ts',
      'e2e/conditional-requests.e2e.spec.ts',
      'e2e/edge-rules.e2e.spec.ts',
      'libs/operations/field-messages.spec.ts',
    ],
  },
];
