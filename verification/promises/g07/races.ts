import type { AppName } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import {
  inParallel,
  type CallAnswer,
  callApi,
  callConnector,
  statusesOf,
  textIn,
} from '@offizin/testkit/load/calls';
import { pause } from '@offizin/testkit/load/submissions';
import { race } from '@offizin/testkit/race';
import { checkChain, type StatusChange } from '../checkers/checkers';
import { kill, startAgain } from '../faults/processes';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import type { RecordingReceiver } from '../recording-receiver';
import type { Trial } from '../trial';

const RACERS = 100;

export const races: Guarantee = {
  id: 'G7',
  promise: 'Racing upserts, patches, approvals and stock changes',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const receiver = await trial.subscribe('all');
    return [
      await raceUpserts(trial, bench),
      await racePatches(trial, bench, receiver),
      await raceApprovals(trial, bench),
      await raceForStock(trial, bench),
      ...(await killApprovals(trial, bench)),
    ];
  },
};

/** Each body differs in three fields that belong together; what is stored must be one body, whole. */
async function raceUpserts(trial: Trial, { pick }: Bench): Promise<Verdict> {
  const { organization } = trial;
  const rounds = pick(10, 2);
  const wrong: string[] = [];
  let answers: CallAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    const body = (index: number): object => ({
      shop_id: organization.shops[0].shopId,
      external_id: `g7-upsert-${round}`,
      customer_name: `Kundin ${index}`,
      address_city: `Ort ${index}`,
      items: [{ name: `Salbe ${index}`, qty: index + 1, price: 1 }],
    });
    // A repeat of the call that created the order must say 201 again.
    const headers = (index: number) => ({ 'idempotency-key': `g7-upsert-${round}-${index}` });
    const all = await race(RACERS, (index) =>
      callApi(organization, 'POST /orders', body(index), { headers: headers(index) }),
    );
    answers = [...answers, ...all];
    const rows = await trial.sql<{ customer_name: string; address_city: string; qty: number }>(
      `SELECT customer_name, address_city, (items -> 0 ->> 'quantity')::int AS qty FROM core.orders
       WHERE org_id = $1 AND external_id = $2`,
      organization.orgId,
      `g7-upsert-${round}`,
    );
    const [row] = rows;
    const number = row?.customer_name.replace('Kundin ', '');
    const isOneBody = row?.address_city === `Ort ${number}` && row.qty === Number(number) + 1;
    if (rows.length !== 1 || !isOneBody) wrong.push(`${rows.length} rows: ${JSON.stringify(row)}`);
    const made = all.filter(({ status }) => status === 201).length;
    if (made !== 1 || all.some(({ status }) => status !== 201 && status !== 200)) wrong.push(statusesOf(all));
  }
  return verdict(wrong.length === 0, {
    fault: `${RACERS} concurrent upserts of one pair, each with another body`,
    trials: `${rounds} races, ${statusesOf(answers)}`,
    figure: `wrong ${some(wrong)}`,
    bar: '1 row, equal to one body entirely',
  });
}

/** Milestones race; each is decided against the row as it then is, so the events make one unbroken chain. */
async function racePatches(trial: Trial, { pick }: Bench, receiver: RecordingReceiver): Promise<Verdict> {
  const { organization } = trial;
  const targets = [
    'awaiting_payment',
    'awaiting_packing',
    'ready_pickup',
    'shipped',
    'completed',
    'cancelled',
  ];
  const orders = pick(10, 2);
  const answers: CallAnswer[] = [];
  const present = new Map<string, string>();
  for (let order = 0; order < orders; order++) {
    const body = { shop_id: organization.shops[0].shopId, external_id: `g7-patch-${order}` };
    const id = textIn(await callApi(organization, 'POST /orders', body), 'id') ?? '';
    const racing = await race(RACERS, (index) =>
      callApi(organization, `PATCH /orders/${id}/status`, { status: targets[index % targets.length] }),
    );
    answers.push(...racing);
    present.set(id, textIn(await callApi(organization, `GET /orders/${id}`), 'status') ?? 'none');
  }
  const stored = await trial.sql<{ count: string }>(
    `SELECT sum(sequence - 1)::text AS count FROM core.orders WHERE org_id = $1 AND external_id LIKE 'g7-patch-%'`,
    organization.orgId,
  );
  const changes = (): StatusChange[] =>
    receiver.received.flatMap(({ eventType, metadata, sequence }) =>
      eventType === 'order_status_updated'
        ? {
            orderId: String(metadata['order_id']),
            sequence,
            oldStatus: String(metadata['old_status']),
            newStatus: String(metadata['new_status']),
          }
        : [],
    );
  const wanted = Number(stored[0]?.count);
  await eventually('every change to be told', () => changes().length >= wanted, 30_000).catch(
    () => undefined,
  );
  const chain = checkChain(changes(), present, 'pending');
  const odd = answers.filter(({ status }) => status !== 200 && status !== 409);
  return verdict(chain.broken.length + odd.length === 0 && changes().length === wanted, {
    fault: `${RACERS} concurrent status patches of one order`,
    trials: `${orders} orders, ${statusesOf(answers)}`,
    figure: `${wanted} changes, chain broken ${some(chain.broken)}`,
    bar: 'unbroken chain of events',
  });
}

async function raceApprovals(trial: Trial, { pick }: Bench): Promise<Verdict> {
  const { organization } = trial;
  const rounds = pick(10, 2);
  const wrong: string[] = [];
  const answers: CallAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    const body = {
      external_reference: `g7-approval-${round}`,
      payload: { customer_name: 'Erika', items: [{ name: 'Salbe', quantity: 1, price: 2 }] },
    };
    const id = textIn(await callConnector(organization, 'POST', body), 'id') ?? '';
    // A third each approves, rejects and withdraws: one of the three wins.
    const sides = [
      () => callApi(organization, `POST /order-requests/${id}/approve`, {}),
      () => callApi(organization, `POST /order-requests/${id}/reject`, { reason: 'other' }),
      () => callConnector(organization, `POST /${id}/cancel`, { reason: 'other' }),
    ] as const;
    const racing = await race(RACERS, (index) => (sides[index % 3] ?? sides[0])());
    answers.push(...racing);
    const [row] = await trial.sql<{ status: string; orders: string }>(
      `SELECT status, (SELECT count(*) FROM core.orders WHERE order_request_id = r.id)::text AS orders
       FROM core.order_requests r WHERE id = $1`,
      id,
    );
    const winner = ['approved', 'rejected', 'cancelled'].indexOf(row?.status ?? '');
    const oks = sides.map(
      (_, side) => racing.filter(({ status }, index) => index % 3 === side && status === 200).length,
    );
    const fits = row?.orders === (winner === 0 ? '1' : '0') && (oks[winner] ?? 0) > 0;
    if (!fits || oks.filter((count) => count > 0).length !== 1)
      wrong.push(`${JSON.stringify(row)} ${oks.join('/')} ok`);
    if (racing.some(({ status }) => status !== 200 && status !== 409)) wrong.push(statusesOf(racing));
  }
  return verdict(wrong.length === 0, {
    fault: `${RACERS} concurrent approvals, rejections and withdrawals of one request`,
    trials: `${rounds} requests, ${statusesOf(answers)}`,
    figure: `wrong ${some(wrong)}`,
    bar: '1 winner, 1 order',
  });
}

const STOCK = 60;

/** Calls take more stock than available, of two products in both orders: never below zero, and no deadlock. */
async function raceForStock(trial: Trial, { pick }: Bench): Promise<Verdict> {
  const { organization } = trial;
  const rounds = pick(10, 2);
  const wrong: string[] = [];
  const answers: CallAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    const [first = '', second = ''] = await trial.platform.catalogProducts(2);
    for (const p1Id of [first, second]) await organization.stock(p1Id, STOCK);
    const requests = await inParallel(RACERS / 2, async (index) => {
      const ids = index % 2 === 0 ? [first, second] : [second, first];
      const items = ids.map((p1_id) => ({ name: 'Salbe', p1_id, quantity: 1, price: 1 }));
      return organization.submit({
        external_reference: `g7-stock-${round}-${index}`,
        payload: { customer_name: 'Erika', items },
      });
    });
    const [approvals, adjustments] = await Promise.all([
      race(requests.length, (index) =>
        callApi(organization, `POST /order-requests/${requests[index]}/approve`, {}),
      ),
      race(RACERS / 2, (index) =>
        callApi(
          organization,
          'POST /inventory/adjust',
          { p1_id: index % 2 === 0 ? first : second, delta: -1, reason: 'damaged' },
          { headers: { 'idempotency-key': `g7-stock-${round}-${index}` } },
        ),
      ),
    ]);
    const all = [...approvals, ...adjustments];
    answers.push(...all);
    if (all.some(({ status }) => status !== 200 && status !== 409)) wrong.push(statusesOf(all));
    const rows = await trial.sql<{ stock: number; reserved: number; logged: number }>(
      `SELECT i.stock_quantity AS stock, i.reserved_quantity AS reserved,
         (SELECT coalesce(sum(l.delta), 0)::int FROM catalog.stock_log l
          WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id) AS logged
       FROM catalog.inventory i WHERE i.org_id = $1 AND i.p1_id = ANY ($2)`,
      organization.orgId,
      [first, second],
    );
    const approved = approvals.filter(({ status }) => status === 200).length;
    for (const { stock, reserved, logged } of rows) {
      if (stock < 0 || reserved > stock || reserved !== approved || logged !== stock)
        wrong.push(`stock ${stock}, reserved ${reserved} of ${approved} approved, log adds up to ${logged}`);
    }
  }
  return verdict(wrong.length === 0, {
    fault: `${RACERS / 2} concurrent approvals of two products in both orders and ${RACERS / 2} adjustments`,
    trials: `${rounds} races, ${statusesOf(answers)}`,
    figure: `wrong ${some(wrong)}`,
    bar: 'never below zero, no deadlock error',
  });
}

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
async function killApprovals(trial: Trial, bench: Bench): Promise<Verdict[]> {
  const rounds = bench.pick(2, 1);
  const cases: { step: Step; requestId: string; p1Id: string }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const step of bench.pick(STEPS, [...STEPS.slice(2, 3), ...STEPS.slice(4, 5)])) {
      const [p1Id = ''] = await trial.platform.catalogProducts(1);
      await trial.organization.stock(p1Id, 10);
      const items = [{ name: 'Salbe', p1_id: p1Id, quantity: QUANTITY, price: 1 }];
      const requestId = await trial.organization.submit({ payload: { customer_name: 'Erika', items } });
      await killAt(trial, bench, { step, requestId, p1Id });
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
  bench: Bench,
  { step, requestId, p1Id }: { step: Step; requestId: string; p1Id: string },
): Promise<void> {
  const { sql, params } = step.lock(p1Id);
  const approve = () => callApi(trial.organization, `POST /order-requests/${requestId}/approve`, {});
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
