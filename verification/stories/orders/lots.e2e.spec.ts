import type { LotHold, LotHoldListResponse } from '@offizin/contracts/orders/lot-holds';
import type { OrderLots } from '@offizin/contracts/orders/lots';
import type { OrderDetail, OrderListResponse } from '@offizin/contracts/orders/orders';
import type { LotOrder, LotOrderListResponse, LotTold } from '@offizin/contracts/orders/recall';
import type { Role } from '@offizin/contracts/people/roles';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { type TestOrganization, tokenWith } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** A recall from the packs of an order to the customers who were told; the variants are in apps/order-core/orders/lots. */
const platform = usePlatform();
let own: TestOrganization;
let foreign: TestOrganization;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
  receiver = await WebhookReceiver.start();
  await own.api('POST', '/webhooks', { url: receiver.url, event_types: ['lot_held', 'order_updated'] });
});
afterAll(() => receiver.close());

const SALBE = 'P-SALBE';
const EMAIL = 'erika@example.org';
const CUSTOMER = { customer_name: 'Erika', customer_email: EMAIL, address_phone: '+49 30 1234567' };

/** With characters that a path must encode. */
const newLot = () => `CH/${uniqueTag().slice(-12)} %7`.toUpperCase();

async function newOrder(fields: object = {}): Promise<string> {
  const items = [{ p1_id: SALBE, name: 'Salbe', qty: 2, price: 4.5 }];
  return (await own.createOrder({ items, ...fields })).id;
}

function pack(orderId: string, lot: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const lots = [{ line: 1, p1_id: SALBE, lot, expires_on: '2099-01-31', quantity: 2 }];
  return own.api('PUT', `/orders/${orderId}/lots`, { lots }, headers);
}

async function packed(lot: string, fields: object = {}): Promise<string> {
  const id = await newOrder(fields);
  expect((await pack(id, lot)).status).toBe(200);
  return id;
}

const hold = (lot: string, headers: Record<string, string> = {}) =>
  own.api('POST', '/lots/holds', { p1_id: SALBE, lot, reason: 'Recall of 2 March' }, headers);
const recallPath = (lot: string) => `/lots/${encodeURIComponent(lot)}/orders`;

async function recalled(lot: string): Promise<LotOrder[]> {
  return json<LotOrderListResponse>(await own.api('GET', `${recallPath(lot)}?p1_id=${SALBE}`)).data;
}

function person(role: Role): Promise<TestPerson> {
  return platform.person(own.orgId, role);
}

interface CallOptions {
  body?: object;
  accept?: string;
}

function by(one: TestPerson, method: string, path: string, { body, accept = '*/*' }: CallOptions = {}) {
  const headers = { ...one.pageHeaders, accept };
  return one.call(method, `/api/v2/public/orgs/${own.orgId}${path}`, body, headers);
}

it('a recall: a pack is in its order, its lot is held, and its customers are listed and told', async () => {
  const lot = newLot();
  const id = await packed(lot.toLowerCase(), CUSTOMER);
  const second = await packed(lot);
  expect(json<OrderDetail>(await own.api('GET', `/orders/${id}`)).lots).toMatchObject([{ line: 1, lot }]);
  const query = new URLSearchParams({ lot }).toString();
  const list = json<OrderListResponse>(await own.api('GET', `/orders?${query}`));
  expect([list.pagination.total, list.data.map((row) => row.id)]).toEqual([2, [second, id]]);

  const held = await hold(lot);
  expect([held.status, (await hold(lot)).status]).toEqual([201, 200]);
  const { id: holdId } = json<LotHold>(held);
  const { body } = await receiver.waitFor(({ metadata }) => metadata['hold_id'] === holdId);
  expect(JSON.parse(body.toString())).toMatchObject({ event_type: 'lot_held', metadata: { p1_id: SALBE } });
  expect(body.toString()).not.toContain('Recall');
  expect(codeOf(await pack(await newOrder(), lot))).toBe('409 lot_on_hold');

  const clerk = await person('clerk');
  expect(json<LotOrderListResponse>(await by(clerk, 'GET', recallPath(lot))).data).toHaveLength(2);
  const told = await by(clerk, 'PUT', `/orders/${id}/lots/told`, {
    body: { lot, p1_id: SALBE, told: true },
  });
  expect(json<LotTold>(told)).toMatchObject({ lot, quantity: 2, told_at: expect.any(String) });
  expect(await recalled(lot)).toMatchObject([
    { order_id: second, told_at: null },
    { order_id: id, customer_name: 'Erika', phone: '+49 30 1234567', told_at: expect.any(String) },
  ]);
  expect((await own.api('DELETE', `/lots/holds/${holdId}`)).status).toBe(204);
  expect((await pack(await newOrder(), lot)).status).toBe(200);
});

it('its list is a file, too, in German for people, and an erasure empties the person in both', async () => {
  const lot = newLot();
  const id = await packed(lot, { ...CUSTOMER, customer_name: '=Erika', order_number: 'A-7' });
  const clerk = await person('clerk');
  const file = async (accept: string) =>
    (await by(clerk, 'GET', `${recallPath(lot)}?p1_id=${SALBE}`, { accept })).body.toString();
  const [head, row] = (await file('text/csv; dialect=excel-de')).trimEnd().split('\r\n');
  expect(head).toMatch(/^\uFEFF"Auftrags-ID";/);
  expect(row).toMatch(
    new RegExp(`^"${id}";"A-7";.*;"'=Erika";"${EMAIL}";"'\\+49 30 1234567";"${SALBE}";"Salbe";2;`),
  );
  const pages = await by(clerk, 'GET', `${recallPath(lot)}?limit=2`, { accept: 'text/csv' });
  expect(codeOf(pages)).toBe('400 invalid_request');
  const log = await own.api('GET', '/audit-log?action=lot.export');
  expect(json<{ data: object[] }>(log).data).toMatchObject([{ object: `lot-export:${lot}` }]);

  expect((await own.api('POST', '/customers/erase', { email: EMAIL })).status).toBeLessThan(300);
  expect(await recalled(lot)).toMatchObject([
    { order_id: id, customer_name: null, customer_email: null, phone: null, name: 'Salbe', quantity: 2 },
  ]);
  expect(await file('text/csv')).not.toMatch(/erika|1234567/i);
});

it('of people who pack one order as they read it one wins, and a repeat under a key gets its answer', async () => {
  const id = await newOrder();
  const lots = [newLot(), newLot(), newLot()];
  const answers = await Promise.all(lots.map((lot) => pack(id, lot, { 'if-match': '"1"' })));
  expect(answers.map(codeOf).sort()).toEqual(['200', '412 precondition_failed', '412 precondition_failed']);
  const holdKey = { 'idempotency-key': uniqueTag() };
  const lot = newLot();
  const [held, replayed] = [await hold(lot, holdKey), await hold(lot, holdKey)];
  expect([held.status, replayed.status, replayed.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
  expect(json(replayed)).toEqual(json(held));
});

it('packing, holding, reading and telling need their rights, and stay in the organization', async () => {
  const lot = newLot();
  const id = await packed(lot, CUSTOMER);
  const { id: holdId } = json<LotHold>(await hold(lot));
  for (const [method, path, body] of [
    ['PUT', `/orders/${id}/lots`, { lots: [] }],
    ['GET', recallPath(lot), undefined],
    ['PUT', `/orders/${id}/lots/told`, { lot, told: true }],
    ['DELETE', `/lots/holds/${holdId}`, undefined],
  ] as const)
    expect([path, codeOf(await foreign.api(method, path, body))]).toEqual([path, '404 not_found']);
  expect(json<LotHoldListResponse>(await foreign.api('GET', '/lots/holds')).data).toEqual([]);
  const query = new URLSearchParams({ lot }).toString();
  expect(json<OrderListResponse>(await foreign.api('GET', `/orders?${query}`)).data).toEqual([]);

  const clerk = await person('clerk');
  const refused = await by(clerk, 'POST', '/lots/holds', {
    body: { p1_id: SALBE, lot: newLot(), reason: 'Glass' },
  });
  expect(codeOf(refused)).toBe('403 insufficient_scope');
  expect(codeOf(await by(clerk, 'DELETE', `/lots/holds/${holdId}`))).toBe('403 insufficient_scope');
  const authorization = `Bearer ${await tokenWith(own, ['orders.read'])}`;
  const told = await own.api('PUT', `/orders/${id}/lots/told`, { lot, told: true }, { authorization });
  expect(codeOf(told)).toBe('403 insufficient_scope');
  expect(codeOf(await pack(id, newLot(), { authorization }))).toBe('403 insufficient_scope');
  expect((await own.api('GET', '/lots/holds', undefined, { authorization })).status).toBe(200);
  expect(json<OrderLots>(await pack(id, lot)).lots).toMatchObject([{ lot }]);
});
