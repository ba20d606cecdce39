import type { Caller } from '@offizin/contracts/calls/caller';
import { findNames } from '@offizin/contracts/people/staff';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { brokerSpec } from '../../spec/core-spec';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { staffHandlers } from '../../spec/staff-fixture';

const insertRequest = statement<never, [string, string, string, string | null, string | null]>(
  'spec_named_request',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, customer_name, external_reference, total_amount,
     payload_ciphertext, payload_digest, summary) VALUES ($1, $2, $3, 'spec', $4, $5, 0, '', '', '')`,
);

const test = brokerSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeAll(async () => {
  const handlers = staffHandlers(test.database, await test.broker.connect('order-core'));
  core = await OrderCoreFixture.make(test.database, handlers);
  other = await OrderCoreFixture.make(test.database, handlers);
});

describe('names', () => {
  async function names(ids: readonly string[], { orgId } = core) {
    const caller = { ...core.staff('clerk'), orgId };
    return core.call(findNames, { caller, query: `ids=${ids.join(',')}` });
  }

  it('names people and API keys of the own organization; what is not an id of one is left out', async () => {
    const pharmacist = core.staff('pharmacist');
    const { actorId } = pharmacist;
    const ids = [actorId, core.keyId, newId(), 'order-core'];
    // A person of the fixture is stored by the first call.
    await core.call(findNames, { caller: pharmacist, query: `ids=${actorId}` });
    const { status, body } = await names(ids);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(2);
    expect(body.data).toEqual(
      expect.arrayContaining([
        { id: actorId, name: 'pharmacist' },
        { id: core.keyId, name: 'ERP' },
      ]),
    );
    expect((await names(ids, other)).body.data).toEqual([]);
  });

  it('names orders and requests to those who may read them, shops and sessions to all', async () => {
    const { orgId, shopId } = core;
    const [named, referred, bare] = [newId(), newId(), newId()];
    await test.database.rows(insertRequest, named, orgId, shopId, 'Anna Anders', 'R-1');
    await test.database.rows(insertRequest, referred, orgId, shopId, null, 'R-2');
    await test.database.rows(insertRequest, bare, orgId, shopId, null, null);
    const numbered = (await core.upsert('shop-1', { order_number: 'B-7' })).body.id;
    const { id: external } = (await core.upsert('shop-2')).body;
    const pharmacist = core.staff('pharmacist');
    const namesFor = async (caller: Caller) => {
      const ids = [named, referred, bare, numbered, external, shopId, orgId, pharmacist.sessionId];
      const { body } = await core.call(findNames, { caller, query: `ids=${ids.join(',')}` });
      return body.data.map(({ name }) => name).sort();
    };
    const [orders, everybody] = [
      ['B-7', 'shop-2'],
      ['Apotheke', 'Shop', 'pharmacist'],
    ];
    await namesFor(pharmacist);
    expect(await namesFor(pharmacist)).toEqual([...orders, ...everybody, 'Anna Anders', 'R-2'].sort());
    expect(await namesFor(core.staff('clerk'))).toEqual([...orders, ...everybody].sort());
    expect(await namesFor({ ...pharmacist, scopes: [] })).toEqual(everybody);
    expect(await namesFor({ ...core.staff('owner'), orgId: other.orgId })).toEqual([]);
  });

  it('takes at most 50 ids', async () => {
    const ids = Array.from({ length: 51 }, () => newId());
    expect((await names(ids)).status).toBe(400);
    expect((await names(ids.slice(1))).body.data).toEqual([]);
  });
});
