import { race } from '@offizin/testkit/race';
import { type Bench, some, verdict, type Verdict } from '../guarantee';
import { type CallAnswer, callApi } from '../load/caller';
import { atOnce, statusesOf } from '../load/race';
import type { Trial } from '../trial';

const RACERS = 100;
const STOCK = 60;

/** Calls take more stock than available, of two products in both orders: never below zero, and no deadlock. */
export async function raceForStock(trial: Trial, { pick }: Bench): Promise<Verdict> {
  const { organization } = trial;
  const rounds = pick(10, 2);
  const wrong: string[] = [];
  const answers: CallAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    const [first = '', second = ''] = await trial.platform.catalogProducts(2);
    for (const p1Id of [first, second]) await organization.stock(p1Id, STOCK);
    const requests = await atOnce(RACERS / 2, async (index) => {
      const ids = index % 2 === 0 ? [first, second] : [second, first];
      const items = ids.map((p1_id) => ({ name: 'Salbe', p1_id, quantity: 1, price: 1 }));
      return organization.submit({
        external_reference: `g7-stock-${round}-${index}`,
        payload: { customer_name: 'Erika', items },
      });
    });
    const [approvals, adjustments] = await Promise.all([
      race(requests.length, (index) =>
        callApi(organization, 'POST', `/order-requests/${requests[index]}/approve`, {}),
      ),
      race(RACERS / 2, (index) =>
        callApi(
          organization,
          'POST',
          '/inventory/adjust',
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
    fault: `${RACERS / 2} approvals of two products in both orders and ${RACERS / 2} adjustments at once`,
    trials: `${rounds} races, ${statusesOf(answers)}`,
    figure: `wrong ${some(wrong)}`,
    bar: 'never below zero, no deadlock error',
  });
}

export async function raceOverrides(trial: Trial, { pick }: Bench): Promise<Verdict> {
  const { organization } = trial;
  const rounds = pick(10, 2);
  const wrong: string[] = [];
  const answers: CallAnswer[] = [];
  const shop_id = organization.shops[0].shopId;
  for (let round = 0; round < rounds; round++) {
    const [p1_id = ''] = await trial.platform.catalogProducts(1);
    await organization.stock(p1_id, 1);
    await callApi(organization, 'POST', '/shops/attach-product', { shop_id, p1_id });
    const racing = await race(RACERS, (index) => {
      const overrides = { [`key_${index}`]: index, nested: { [`key_${index}`]: index } };
      return callApi(organization, 'POST', '/shops/product-overrides', { shop_id, p1_id, overrides });
    });
    answers.push(...racing);
    if (racing.some(({ status }) => status !== 200)) wrong.push(statusesOf(racing));
    const [row] = await trial.sql<{ overrides: Record<string, unknown> & { nested?: object } }>(
      'SELECT overrides FROM catalog.shop_products WHERE shop_id = $1 AND p1_id = $2',
      shop_id,
      p1_id,
    );
    const keys = Object.keys(row?.overrides ?? {}).length - 1;
    const nested = Object.keys(row?.overrides.nested ?? {}).length;
    if (keys !== RACERS || nested !== RACERS) wrong.push(`${keys} and ${nested} of ${RACERS} keys`);
  }
  return verdict(wrong.length === 0, {
    fault: `${RACERS} merges of overrides at once, each with keys of its own`,
    trials: `${rounds} races, ${statusesOf(answers)}`,
    figure: `wrong ${some(wrong)}`,
    bar: 'every merged key there',
  });
}
