import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { planRequest } from '@offizin/contracts/requests/review';
import {
  listReviewPeople,
  type ReviewPeople,
  type ReviewPlan,
  type ReviewPlanBody,
} from '@offizin/contracts/requests/review-plan';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { lockRequest } from '../intake/order-requests.store';
import { isUndecided } from './decision';
import { decided } from './decision.store';
import { LiveChanges } from './first-approvals';
import { peopleWhoDecide, planOf, savePlan } from './plan.store';

const LONGEST_DAYS = 7;
const DAY_MS = 86_400_000;

/** Requests that are assigned or parked. */
@Controller()
export class PlanHandlers {
  constructor(
    private readonly database: Database,
    private readonly changes: LiveChanges,
  ) {}

  @Handles(listReviewPeople)
  async people({ caller }: Call<typeof listReviewPeople>): Promise<Answer<ReviewPeople>> {
    return ok({ data: await peopleWhoDecide(this.database, caller.orgId) });
  }

  /** The row lock makes the second of two people read what the first has done. */
  @Handles(planRequest)
  async plan({ caller, params, body }: Call<typeof planRequest>): Promise<Answer<ReviewPlan>> {
    const { requestId } = params;
    const { orgId } = caller;
    if (!isId(requestId)) throw notFound('order request');
    const { assigned_to: assignedTo, parked_until: parkedUntil } = body;
    requireTime(parkedUntil ?? null);
    const plan = await liveTransaction(this.database, caller, async (tx) => {
      const request = await lockRequest(tx, orgId, requestId);
      if (!request) throw notFound('order request');
      const { id, status } = request;
      if (!isUndecided(status)) throw await decided(tx, caller, request);
      if (parkedUntil && status !== 'pending')
        throw conflict('status', 'Only an open request can be parked.');
      const before = await planOf(tx, orgId, id);
      requireBefore(body, before);
      await requirePerson(tx, orgId, assignedTo ?? null);
      const after = await savePlan(tx, { orgId, id }, { assignedTo, parkedUntil });
      const object = `order-request:${id}`;
      if (after.assigned_to?.staff_id !== before.assigned_to?.staff_id) {
        const whom = `${object}:to:${after.assigned_to?.staff_id ?? 'nobody'}`;
        await appendAudit(tx, caller, 'order-request.assign', whom);
      }
      if (after.parked_until !== before.parked_until) {
        const action = after.parked_until === null ? 'order-request.unpark' : 'order-request.park';
        await appendAudit(tx, caller, action, object);
      }
      return after;
    });
    this.changes.ring(orgId, requestId);
    return ok(plan);
  }
}

function requireTime(parkedUntil: string | null): void {
  const aheadMs = parkedUntil === null ? 1 : Date.parse(parkedUntil) - Date.now();
  if (aheadMs > 0 && aheadMs <= LONGEST_DAYS * DAY_MS) return;
  throw invalid([{ field: 'parked_until', message: `must be within the next ${LONGEST_DAYS} days` }]);
}

function requireBefore(
  { assigned_before: seen, parked_before: seenTime }: ReviewPlanBody,
  { assigned_to: now, parked_until: time }: ReviewPlan,
): void {
  if (seen !== undefined && seen !== (now?.staff_id ?? null)) {
    const message = now
      ? `${now.name} looks after the request by now.`
      : 'Nobody looks after the request by now.';
    throw conflict('assigned_to', message, now?.name);
  }
  if (seenTime === undefined || aheadOf(seenTime) === aheadOf(time)) return;
  throw conflict(
    'parked_until',
    `The request is ${time === null ? 'not parked' : `parked until ${time}`} by now.`,
  );
}

/** In ms; 0 for a time that has passed, as for none. */
function aheadOf(time: string | null): number {
  const ms = time === null ? 0 : Date.parse(time);
  return ms > Date.now() ? ms : 0;
}

async function requirePerson(tx: Sql, orgId: string, staffId: string | null): Promise<void> {
  if (staffId === null || (await peopleWhoDecide(tx, orgId)).some((person) => person.staff_id === staffId))
    return;
  throw invalid([{ field: 'assigned_to', message: 'is nobody who may decide order requests' }]);
}

function conflict(field: string, message: string, detail = message): Refused {
  return new Refused('conflict', message, [{ field, message: detail }]);
}
