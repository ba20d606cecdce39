import * as api from '@offizin/contracts/orders/settings';
import { openBucket } from '@offizin/bus/key-value';
import { DIRECTORY_BUCKET, decodeRecord } from '@offizin/directory/records';
import { statement } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DirectoryProjection } from '../../people/directory/projection';
import { brokerSpec } from '../../spec/core-spec';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { SettingsHandlers } from './settings.handlers';

const test = brokerSpec();
let projection: DirectoryProjection;
let core: OrderCoreFixture;

beforeAll(async () => {
  projection = new DirectoryProjection(test.database, await test.broker.connect('order-core'));
  await projection.start();
});
afterAll(() => projection.stop());
beforeEach(async () => {
  const settings = new SettingsHandlers(test.database, projection);
  core = await OrderCoreFixture.make(test.database, handlersIn(settings));
});

describe('a test shop', () => {
  const make = (body: object) =>
    core.call(api.createTestShop, {
      body: { name: 'Probe', domain: `Test.${core.shopId}.example`, ...body },
    });

  it('is made below an own domain, for ever, and known to the edges as a test shop', async () => {
    const { status, body } = await make({ is_test: true });
    expect([status, body]).toEqual([
      201,
      {
        shop_id: expect.any(String),
        name: 'Probe',
        domain: `test.${core.shopId}.example`,
        is_active: true,
        is_test: true,
        version: expect.any(String),
      },
    ]);
    const bucket = await openBucket(await test.broker.connect('reader'), DIRECTORY_BUCKET);
    const key = `shop.${body.shop_id}`;
    const entry = await bucket.get(key);
    expect(entry && decodeRecord(key, entry.value)).toMatchObject({ type: 'shop', is_test: true });
    const params = { shopId: body.shop_id };
    const changed = await core.call(api.updateShopSettings, { params, body: { name: 'X', is_test: false } });
    expect([changed.status, changed.body.details?.[0]?.field]).toEqual([400, 'is_test']);
    expect((await core.call(api.getShopSettings, { params })).body).toEqual(body);
    expect((await make({ is_test: true })).body.error).toBe('conflict');
  });

  it.each([
    ['is_test', {}],
    ['is_test', { is_test: false }],
    ['domain', { is_test: true, domain: 'other-pharmacy.example' }],
    ['domain', { is_test: true, domain: 'no domain' }],
  ])('names %s of a body that makes none: %j', async (field, change) => {
    const { status, body } = await make(change);
    expect([status, body.details?.map((detail) => detail.field)]).toEqual([400, [field]]);
  });
});

const ageConfirmation = statement<never, [string]>(
  'spec_settings_confirmation',
  `UPDATE core.staff_sessions SET confirmed_at = 'epoch' WHERE id = $1`,
);

/** Each door takes back what it gives. */
const WORKFLOWS = [
  { mode: 'default' },
  { mode: 'open', closed_orders: 'allow' },
  { mode: 'custom', transitions: { pending: ['cancelled'] } },
] as const;

it.each(WORKFLOWS)('takes back the workflow %j, and names its version', async (chosen) => {
  expect((await core.call(api.setWorkflow, { body: chosen })).status).toBe(200);
  const { body: read } = await core.call(api.getWorkflow);
  expect(await core.call(api.setWorkflow, { body: read })).toMatchObject({ status: 200, body: read });
  const changed = { ...read, closed_orders: read.closed_orders === 'allow' ? 'refuse' : 'allow' };
  expect((await core.call(api.setWorkflow, { body: changed })).status).toBe(200);
  expect((await core.call(api.setWorkflow, { body: read })).body.error).toBe('precondition_failed');
});

it.each(['default', 'open'])('takes no other transitions with mode %s', async (mode) => {
  const transitions = { ...(await core.call(api.getWorkflow)).body.transitions, pending: [] };
  const { status, body } = await core.call(api.setWorkflow, { body: { mode, transitions } });
  expect([status, body.details?.[0]?.field]).toEqual([400, 'transitions']);
});

it('takes back whether stock follows orders', async () => {
  const { body: read } = await core.call(api.getStockSettings);
  expect(await core.call(api.setStockSettings, { body: read })).toMatchObject({ status: 200, body: read });
});

it('takes back a shop, of a person without a new confirmation, and neither another id nor another kind', async () => {
  const params = { shopId: core.shopId };
  const { body: read } = await core.call(api.getShopSettings, { params });
  const set = (change: object, caller = core.key()) =>
    core.call(api.updateShopSettings, { params, body: { ...read, ...change }, caller });
  const owner = core.staff('owner');
  await core.call(api.getShopSettings, { params, caller: owner });
  await test.database.rows(ageConfirmation, owner.sessionId ?? '');
  expect((await set({ domain: 'other.example' }, owner)).status).toBe(403);
  expect(await set({}, owner)).toMatchObject({ status: 200, body: read });
  for (const [field, value] of Object.entries({ shop_id: core.otherShopId, is_test: true })) {
    const { status, body } = await set({ [field]: value });
    expect([status, body.details]).toEqual([
      400,
      [{ field, message: 'cannot be changed: leave it out, or send it as it was read' }],
    ]);
  }
  const params404 = { params: { shopId: core.orgId }, body: { name: 'X' } };
  expect((await core.call(api.updateShopSettings, params404)).status).toBe(404);
  expect((await set({ name: 'Other' })).status).toBe(200);
  expect((await set({ name: 'Later' })).body.error).toBe('precondition_failed');
  const { shop_id, is_test } = read;
  const nothing = await core.call(api.updateShopSettings, { params, body: { shop_id, is_test } });
  expect([nothing.status, nothing.body.details?.[0]?.field]).toEqual([400, 'body']);
});
