import type { ReviewPerson, ReviewPlan } from '@offizin/contracts/requests/review-plan';
import { ROLES, scopesOfRole } from '@offizin/contracts/people/roles';
import { type Sql, statement } from '@offizin/pg/database';
import { rowsOf, valueOf } from '@offizin/pg/queries';

/** Who looks after a request, and until when it is parked. Neither keeps anybody from deciding it. */

/** SQL over `r`: a ReviewPlan. A time that has passed is not a plan. */
export const PLAN = `json_build_object(
    'assigned_to', (SELECT json_build_object('staff_id', id, 'name', name) FROM core.staff
                    WHERE org_id = r.org_id AND id = r.assigned_to),
    'parked_until', CASE WHEN r.parked_until > now() THEN core.iso(r.parked_until) END)`;

export const planOf = valueOf<ReviewPlan, [orgId: string, requestId: string]>(
  'review_plan_find',
  `SELECT ${PLAN} AS plan FROM core.order_requests r WHERE r.org_id = $1 AND r.id = $2`,
  { assigned_to: null, parked_until: null },
);
/** `isAssigned` and `isParked`: the value replaces the stored one. */
const save = statement<
  { plan: ReviewPlan },
  {
    orgId: string;
    id: string;
    isAssigned: boolean;
    assignedTo: string | null;
    isParked: boolean;
    parkedUntil: string | null;
  }
>(
  'review_plan_save',
  `UPDATE core.order_requests r SET assigned_to = CASE WHEN $isAssigned THEN $assignedTo::uuid ELSE r.assigned_to END,
          parked_until = CASE WHEN $isParked THEN $parkedUntil::timestamptz ELSE r.parked_until END
   WHERE r.org_id = $orgId AND r.id = $id
   RETURNING ${PLAN} AS plan`,
);
const DECIDING = ROLES.filter((role) => scopesOfRole(role).includes('order_requests.review'));
export const peopleWhoDecide = rowsOf<ReviewPerson, [orgId: string]>(
  'review_people',
  `SELECT id AS staff_id, name FROM core.staff
   WHERE org_id = $1 AND is_active AND role IN (${DECIDING.map((role) => `'${role}'`).join(', ')})
   ORDER BY name, id LIMIT 200`,
);

/** Undefined keeps a value. The caller has locked the row. */
export async function savePlan(
  tx: Sql,
  request: { orgId: string; id: string },
  {
    assignedTo,
    parkedUntil,
  }: { assignedTo: string | null | undefined; parkedUntil: string | null | undefined },
): Promise<ReviewPlan> {
  const [saved] = await tx.rows(save, {
    ...request,
    isAssigned: assignedTo !== undefined,
    assignedTo: assignedTo ?? null,
    isParked: parkedUntil !== undefined,
    parkedUntil: parkedUntil ?? null,
  });
  if (!saved) throw new Error(`order request ${request.id} is locked and gone`);
  return saved.plan;
}
