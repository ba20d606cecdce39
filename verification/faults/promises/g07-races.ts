import { eventually } from '@offizin/testkit/eventually';
import { race } from '@offizin/testkit/race';
import { checkChain, type StatusChange } from '../checkers/chain-checker';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { type CallAnswer, callApi, callConnector, textIn } from '../load/caller';
import { statusesOf } from '../load/race';
import type { RecordingReceiver } from '../load/recording-receiver';
import type { Trial } from '../trial';
import { killApprovals } from './g07-approval-kills';
import { raceForStock, raceOverrides } from './g07-stock-races';

const RACERS = 100;

export const races: Guarantee = {
  id: 'G7',
  promise: 'Racing upserts, patches, approvals, stock changes and merges',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const receiver = await trial.subscribe('all');
    return [
      await raceUpserts(trial, bench),
      await racePatches(trial, bench, receiver),
      await raceApprovals(trial, bench),
      await raceForStock(trial, bench),
      await raceOverrides(trial, bench),
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
      callApi(organization, 'POST', '/orders', body(index), { headers: headers(index) }),
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
    fault: `${RACERS} upserts of one pair at once, each with another body`,
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
    const id = textIn(await callApi(organization, 'POST', '/orders', body), 'id') ?? '';
    const racing = await race(RACERS, (index) =>
      callApi(organization, 'PATCH', `/orders/${id}/status`, { status: targets[index % targets.length] }),
    );
    answers.push(...racing);
    present.set(id, textIn(await callApi(organization, 'GET', `/orders/${id}`), 'status') ?? 'none');
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
    fault: `${RACERS} status patches of one order at once`,
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
    const id = textIn(await callConnector(organization, 'POST', '', body), 'id') ?? '';
    // Half of them approve, half reject: one decision wins.
    const racing = await race(RACERS, (index) =>
      index % 2 === 0
        ? callApi(organization, 'POST', `/order-requests/${id}/approve`, {})
        : callApi(organization, 'POST', `/order-requests/${id}/reject`, { reason: 'other' }),
    );
    answers.push(...racing);
    const [row] = await trial.sql<{ status: string; orders: string }>(
      `SELECT status, (SELECT count(*) FROM core.orders WHERE order_request_id = r.id)::text AS orders
       FROM core.order_requests r WHERE id = $1`,
      id,
    );
    const fits =
      row?.status === 'approved' ? row.orders === '1' : row?.status === 'rejected' && row.orders === '0';
    const oks = [
      racing.filter((_, index) => index % 2 === 0),
      racing.filter((_, index) => index % 2 === 1),
    ].map((side) => side.filter(({ status }) => status === 200).length);
    if (!fits || (oks[0] ?? 0) * (oks[1] ?? 0) > 0) wrong.push(`${JSON.stringify(row)} ${oks.join('/')} ok`);
    if (racing.some(({ status }) => status !== 200 && status !== 409)) wrong.push(statusesOf(racing));
  }
  return verdict(wrong.length === 0, {
    fault: `${RACERS} approvals and rejections of one request at once`,
    trials: `${rounds} requests, ${statusesOf(answers)}`,
    figure: `wrong ${some(wrong)}`,
    bar: '1 winner, 1 order',
  });
}
