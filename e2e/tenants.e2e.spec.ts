import type { ErrorBody } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import { connectorOperations, organizationOperations } from '@offizin/contracts/operations';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { callOperation, namesAThing } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/operation-rows';
import type { TestOrganization } from '@offizin/testkit/organization';
import { thingsOf, unknownThings } from '@offizin/testkit/organization-things';
import { TestPlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Two organizations are apart. The tests walk the list of operations, so that a new one is tested by being there; who
 * may call an operation at all stands in operations-access.e2e.spec.ts.
 */
let platform: TestPlatform;
let receiver: WebhookReceiver;
let own: TestOrganization;
let foreign: TestOrganization;
/** Ids of things that exist, but belong to the other organization; by the name of the parameter. */
let foreignIds: Ids;
const unknownIds = unknownThings();

beforeAll(async () => {
  platform = await TestPlatform.connect();
  receiver = await WebhookReceiver.start();
  own = await platform.organization();
  foreign = await platform.organization();
  foreignIds = await thingsOf({ platform, organization: foreign, receiverUrl: receiver.url });
}, 30_000);
afterAll(async () => {
  await receiver.close();
  await platform.close();
});

/** What the caller sees, with the ids that it sent itself taken out. */
function seen(answer: HttpAnswer, ids: Ids): { status: number; body: string } {
  let body = answer.body.toString();
  for (const [name, id] of Object.entries(ids)) body = body.replaceAll(id, `<${name}>`);
  return { status: answer.status, body };
}

function names(ops: readonly Operation[]): [string, Operation][] {
  return ops.map((op) => [`${op.name} (${op.method} ${op.path})`, op]);
}

describe("another organization's thing is answered exactly as one that does not exist", () => {
  const naming = [...organizationOperations, ...connectorOperations].filter(namesAThing);

  it.each(names(naming))('%s', async (_, op) => {
    const unknown = await callOperation(op, own, { ids: unknownIds });
    const other = await callOperation(op, own, { ids: foreignIds });
    expect(seen(other, foreignIds)).toEqual(seen(unknown, unknownIds));
    const { error, results } = json<ErrorBody & { results?: ErrorBody[] }>(other);
    // A batch refuses the member that names it.
    const [status, refused] = results ? [200, results[0]?.error] : [404, error];
    expect([other.status, refused]).toEqual([status, 'not_found']);
  });

  it('and was not touched', async () => {
    const { orderId, requestId, p1Id, webhookId } = foreignIds;
    const order = json(await foreign.api('GET', `/orders/${orderId ?? ''}`));
    expect(order).toMatchObject({ customer_name: 'Untouched', status: 'pending' });
    expect(json(await foreign.api('GET', `/order-requests/${requestId ?? ''}`))).toMatchObject({
      status: 'pending',
    });
    const product = await foreign.api('GET', `/products/${p1Id ?? ''}?shop_id=${foreign.shops[0].shopId}`);
    expect(json(product)).toMatchObject({ price: 4.5, stock_quantity: 5 });
    expect(json(await foreign.api('GET', `/webhooks/${webhookId ?? ''}`))).toMatchObject({ is_active: true });
    const shop = json(await foreign.api('GET', `/shops/${foreign.shops[0].shopId}`));
    expect(shop).toMatchObject({ domain: foreign.shops[0].domain, is_active: true });
    expect((await foreign.exchange(foreign.apiKey.text)).status).toBe(200);
  });
});

it('a list of one organization shows nothing of the other', async () => {
  const mine = await thingsOf({ platform, organization: own, receiverUrl: receiver.url });
  const lists = organizationOperations.filter((op) => op.method === 'GET' && !/\{(?!orgId\})/.test(op.path));
  expect(lists.length).toBeGreaterThan(6);
  for (const op of lists.filter(({ path }) => path.includes('{orgId}'))) {
    const text = (await callOperation(op, own, { ids: mine })).body.toString();
    for (const id of [...Object.values(foreignIds), foreign.orgId]) {
      expect({ op: op.name, leaks: text.includes(id) ? id : null }).toEqual({ op: op.name, leaks: null });
    }
  }
});

it("shop and product of which only one is the own organization's are a 404", async () => {
  const [p1Id = ''] = await platform.catalogProducts(1);
  await own.stock(p1Id, 1);
  const [shop, foreignShop] = [own.shops[0].shopId, foreign.shops[0].shopId];
  for (const [shop_id, p1_id] of [
    [foreignShop, p1Id],
    [shop, foreignIds['p1Id']],
  ]) {
    for (const path of ['attach-product', 'detach-product', 'product-overrides']) {
      const extra = path === 'product-overrides' ? { overrides: {} } : {};
      expect((await own.api('POST', `/shops/${path}`, { shop_id, p1_id, ...extra })).status).toBe(404);
    }
  }
  expect((await own.api('GET', `/products/${p1Id}?shop_id=${foreignShop}`)).status).toBe(404);
});
