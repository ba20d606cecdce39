import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import type { UpsertItem } from '@offizin/contracts/orders/orders';
import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import type { DataKeys } from '../../crypto/data-keys.store';
import type { StoredItem } from '../../orders/orders/order-patch';
import { findRequest } from '../intake/order-requests.store';
import { linesOf } from '../intake/submission';
import { openedPayload } from '../intake/submission-content';
import type { ApprovalHandlers } from './approval.handlers';
import type { ClarificationHandlers } from './clarification.handlers';
import type { ReviewHandlers } from './review.handlers';
import { type DueRequest, dueRequests } from './test-decisions.store';

/**
 * Decides requests of test shops by the begin of their reference. It makes the same calls as a person, so two replicas,
 * or a restart, decide once: the second call finds the request decided.
 */
export interface Deciders {
  approval: Pick<ApprovalHandlers, 'approve'>;
  review: Pick<ReviewHandlers, 'reject'>;
  clarification: Pick<ClarificationHandlers, 'ask'>;
  /** The lines that were sent. */
  lines: (orgId: string, requestId: string) => Promise<readonly StoredItem[]>;
}

export function sentLines(database: Database, dataKeys: DataKeys): Deciders['lines'] {
  return async (orgId, requestId) => {
    const request = await findRequest(database, orgId, requestId);
    return request ? linesOf(openedPayload(await dataKeys.keyOf(orgId), request)) : [];
  };
}

const WAIT_SECONDS = 5;
const PAUSE_MS = 1_000;
const BATCH_ROWS = 50;
const QUESTION = 'A question of a test shop: answer it with a completed payload.';

export function testDecisions(
  database: Database,
  dataKeys: DataKeys,
  deciders: Omit<Deciders, 'lines'>,
): PeriodicWork {
  const all = { ...deciders, lines: sentLines(database, dataKeys) };
  return new PeriodicWork('decide requests of test shops', PAUSE_MS, () =>
    decideDue(database, all, WAIT_SECONDS),
  );
}

/** What fails is tried again by the next call, and keeps no other request waiting. */
export async function decideDue(database: Database, deciders: Deciders, waitSeconds: number): Promise<void> {
  const failures: unknown[] = [];
  for (const row of await dueRequests(database, waitSeconds, BATCH_ROWS)) {
    await decideOrAsk(deciders, row).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** The sender gets the reason as a question when a request cannot be approved, unless it was decided meanwhile. */
async function decideOrAsk(deciders: Deciders, row: DueRequest): Promise<void> {
  try {
    await decide(deciders, row);
  } catch (error) {
    const question = refusalOf(error).message;
    await decide(deciders, { ...row, decision: 'ask' }, question).catch(refusalOf);
  }
}

function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

async function decide(
  deciders: Deciders,
  { id, org_id: orgId, version, decision }: DueRequest,
  question = QUESTION,
): Promise<void> {
  const caller: Caller = { ...serviceCaller('test', newRequestId()), orgId };
  const call = { caller, params: { orgId, requestId: id }, query: {}, headers: {} };
  if (decision === 'approve') await deciders.approval.approve({ ...call, body: { version } });
  else if (decision === 'correct') {
    const items = corrected(await deciders.lines(orgId, id));
    await deciders.approval.approve({ ...call, body: { version, ...(items.length > 0 && { items }) } });
  } else if (decision === 'reject')
    await deciders.review.reject({ ...call, body: { version, reason: 'other' } });
  else await deciders.clarification.ask({ ...call, body: { version, question } });
}

/** Half of the first quantity; of one piece two. */
function corrected(lines: readonly StoredItem[]): UpsertItem[] {
  return lines.map(({ quantity, ...line }, at) => {
    const half = quantity === 1 ? 2 : Math.floor(quantity / 2);
    return { ...line, qty: at === 0 ? half : quantity };
  });
}
