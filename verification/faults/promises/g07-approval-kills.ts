import type { AppName } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import { kill, startAgain } from '../faults/processes';
import { type Bench, some, verdict, type Verdict } from '../guarantee';
import { callApi } from '../load/caller';
import { pause } from '../load/submitters';
import type { Trial } from '../trial';

/** A step at which a lock stops an approval, and the process that is killed there. */
interface Step {
  name: string;
  victim: AppName;
  lock: (p1Id: string) => { sql: string; params: unknown[] };
}

const inventoryRow = (p1Id: string) => ({
  sql: 'SELECT 1 FROM catalog.inventory WHERE p1_id = $1 FOR UPDATE',
  params: [p1Id],
});
const table = (name: string) => () => ({ sql: `LOCK TABLE ${name} IN SHARE MODE`, params: [] });

const STEPS: Step[] = [
  { name: 'reserving, catalog dies', victim: 'catalog', lock: inventoryRow },
  { name: 'reserving, order-core dies', victim: 'order-core', lock: inventoryRow },
  { name: 'reserved and committing, order-core dies', victim: 'order-core', lock: table('core.orders') },
  { name: 'reserved and committing, catalog dies', victim: 'catalog', lock: table('core.orders') },
  { name: 'committed and confirming, catalog dies', victim: 'catalog', lock: table('catalog.inbox') },
  { name: 'committed and confirming, order-core dies', victim: 'order-core', lock: table('catalog.inbox') },
];
const QUANTITY = 3;
/** A sweep settles an unconfirmed hold after 60 s. */
const SETTLED_WITHIN_MS = 90_000;

/** An approval is killed at every step; its caller repeats it. At the end: one order, its stock taken once. */
export async function killApprovals(trial: Trial, bench: Bench): Promise<Verdict[]> {
  const rounds = bench.pick(2, 1);
  const cases: { step: Step; requestId: string; p1Id: string }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const step of bench.pick(STEPS, [...STEPS.slice(2, 3), ...STEPS.slice(4, 5)])) {
      const [p1Id = ''] = await trial.platform.catalogProducts(1);
      await trial.organization.stock(p1Id, 10);
      const items = [{ name: 'Salbe', p1_id: p1Id, quantity: QUANTITY, price: 1 }];
      const requestId = await trial.organization.submit({ payload: { customer_name: 'Erika', items } });
      await killAt(trial, step, requestId, p1Id, bench);
      cases.push({ step, requestId, p1Id });
    }
  }
  const wrong: string[] = [];
  await eventually(
    'every hold to be settled',
    async () => {
      wrong.length = 0;
      for (const { step, requestId, p1Id } of cases) {
        const state = await stateOf(trial, requestId, p1Id);
        if (state !== `approved, 1 order, ${QUANTITY} reserved, confirmed`)
          wrong.push(`${step.name}: ${state}`);
      }
      return wrong.length === 0;
    },
    SETTLED_WITHIN_MS,
  ).catch(() => undefined);
  return [
    verdict(wrong.length === 0, {
      fault: 'approval (reserve, commit, confirm) with a SIGKILL at each step',
      trials: `${cases.length} approvals, repeated until answered`,
      figure: `not whole ${some(wrong)}`,
      bar: '1 order, its stock reserved once, nothing else held',
    }),
  ];
}

async function killAt(
  trial: Trial,
  step: Step,
  requestId: string,
  p1Id: string,
  bench: Bench,
): Promise<void> {
  const { sql, params } = step.lock(p1Id);
  const approve = () => callApi(trial.organization, 'POST', `/order-requests/${requestId}/approve`, {});
  const victim = trial.stack.apps[step.victim];
  const first = await trial.holding(sql, params, async () => {
    const approving = approve();
    // The database shows a session that waits for our lock.
    await eventually(step.name, async () => {
      const waiting = await trial.sql(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
      );
      return waiting.length > 0;
    });
    bench.history.note(step.name);
    await kill(victim, bench.history);
    return approving;
  });
  await startAgain(victim, bench.history);
  await victim.ready();
  if (first.status === 200) return;
  await eventually(
    'the approval to be answered',
    async () => {
      const { status } = await approve();
      if (status !== 200) await pause(200);
      return status === 200;
    },
    SETTLED_WITHIN_MS,
  );
}

async function stateOf(trial: Trial, requestId: string, p1Id: string): Promise<string> {
  const [row] = await trial.sql<{ status: string; orders: string; reserved: number; state: string }>(
    `SELECT r.status,
       (SELECT count(*) FROM core.orders WHERE order_request_id = r.id)::text AS orders,
       (SELECT reserved_quantity FROM catalog.inventory WHERE org_id = r.org_id AND p1_id = $2) AS reserved,
       (SELECT state FROM catalog.reservations WHERE order_request_id = r.id) AS state
     FROM core.order_requests r WHERE r.id = $1`,
    requestId,
    p1Id,
  );
  return `${row?.status}, ${row?.orders} order, ${row?.reserved} reserved, ${row?.state}`;
}
