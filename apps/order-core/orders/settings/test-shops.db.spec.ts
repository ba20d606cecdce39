import * as api from '@offizin/contracts/orders/settings';
import { openBucket } from '@offizin/bus/key-value';
import { DIRECTORY_BUCKET, decodeRecord } from '@offizin/directory/records';
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

const make = (body: object) =>
  core.call(api.createTestShop, { body: { name: 'Probe', domain: `Test.${core.shopId}.example`, ...body } });

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
