import { eventually } from '@offizin/testkit/eventually';
import { callApi, textIn } from '@offizin/testkit/load/calls';
import { outcomeOf } from '@offizin/testkit/load/history';
import { checkDeliveries, checkOrder } from '../checkers/checkers';
import { clockShiftedBy } from '../faults/shifted-clock';
import { type Guarantee, some, verdict } from '../guarantee';
import type { Trial } from '../trial';

/** The creation of an order, then changes with one event each. */
const EVENTS_PER_ORDER = 20;
const CLOCK_SHIFT_MS = 3_600_000;

export const eventOrder: Guarantee = {
  id: 'G8',
  promise: 'Events of one order reach an endpoint in order',
  isShort: true,
  run: async ({ pick, open }) => {
    const trial = await open();
    const first = await trial.subscribe('first');
    const second = await trial.subscribe('second');
    // Three workers: the clock of one is an hour ahead, that of another an hour behind.
    for (const shiftMs of [CLOCK_SHIFT_MS, -CLOCK_SHIFT_MS])
      await trial.stack.addReplica('webhook-worker', clockShiftedBy(shiftMs));
    const orders = pick(50, 20);
    await Promise.all(Array.from({ length: orders }, (_, index) => writeOrder(trial, `g8-${index}`)));
    const eventIds = await eventually(
      'every event to reach the worker',
      async () => {
        const rows = await trial.sql<{ id: string }>(
          `SELECT id::text FROM webhooks.events WHERE org_id = $1 AND event_type LIKE 'order\\_%'`,
          trial.organization.orgId,
        );
        return rows.length >= orders * EVENTS_PER_ORDER && rows.map(({ id }) => id);
      },
      60_000,
    );
    const both = [first, second];
    await eventually(
      'every delivery',
      () => both.every(({ received }) => received.length >= eventIds.length),
      90_000,
    ).catch(() => undefined);
    const arrivals = both.flatMap(({ received }) => received);
    const { undelivered, doubled, repeats } = checkDeliveries(eventIds, ['first', 'second'], arrivals);
    const order = checkOrder(arrivals);
    return [
      verdict(order.inversions.length + undelivered.length + doubled.length === 0, {
        fault: '3 workers, one with its clock an hour ahead, one an hour behind',
        trials: `${orders} orders × ${EVENTS_PER_ORDER} events × 2 endpoints`,
        figure: `inversions ${some(order.inversions)}, undelivered ${some(undelivered)}, doubled ${some(doubled)}, repeated ${repeats}`,
        bar: '0 inversions',
      }),
    ];
  },
};

/** Makes an order and changes it, one change after the other, until it has had all its events. */
async function writeOrder(trial: Trial, key: string): Promise<void> {
  const { organization } = trial;
  const shop_id = organization.shops[0].shopId;
  const made = await callApi(organization, 'POST /orders', { shop_id, external_id: key });
  const id = textIn(made, 'id');
  if (made.status !== 201 || id === null)
    throw new Error(`an order was answered ${made.status}: ${made.body}`);
  for (let change = 1; change < EVENTS_PER_ORDER; change++) {
    const answer = await callApi(organization, `PUT /orders/${id}`, { customer_name: `Kundin ${change}` });
    if (outcomeOf(answer.status) !== 'ok')
      throw new Error(`a change was answered ${answer.status}: ${answer.body}`);
  }
}
