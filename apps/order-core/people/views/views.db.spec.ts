import type { Caller } from '@offizin/contracts/calls/caller';
import {
  createView,
  listViews,
  MAX_OWN_VIEWS,
  removeView,
  updateView,
} from '@offizin/contracts/console/views';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { ViewsHandlers } from './views.handlers';
import { databaseSpec } from '../../spec/core-spec';

/** As if that many had been saved before. */
const fillUp = statement<never, [string, string | null, number]>(
  'spec_views_fill',
  `INSERT INTO core.saved_views (id, org_id, staff_id, screen, name, query, columns)
   SELECT gen_random_uuid(), $1, $2, 'orders', 'n' || n, '{}', '{}' FROM generate_series(1, $3::int) n`,
);

const VIEW = {
  screen: 'orders',
  name: 'Versand heute',
  shared: false,
  query: { status: 'awaiting_packing', sort: 'oldest' },
  columns: ['number', 'customer', 'age'],
};

const test = databaseSpec();
let core: OrderCoreFixture;
let owner: Caller;
let clerk: Caller;

const fixture = () => OrderCoreFixture.make(test.database, handlersIn(new ViewsHandlers(test.database)));

beforeEach(async () => {
  core = await fixture();
  [owner, clerk] = [core.staff('owner'), core.staff('clerk')];
});

const create = (caller: Caller, change: object = {}, of = core) =>
  of.call(createView, { body: { ...VIEW, ...change }, caller });
interface Terms {
  ifMatch?: string;
  of?: OrderCoreFixture;
}
const update = (caller: Caller, viewId: string, body: object, { ifMatch, of = core }: Terms = {}) =>
  of.call(updateView, { params: { viewId }, body, caller, ...(ifMatch !== undefined && { ifMatch }) });
const remove = (caller: Caller, viewId: string, of = core) =>
  of.call(removeView, { params: { viewId }, caller });
const names = async (caller: Caller, query = '', of = core) =>
  (await of.call(listViews, { caller, query })).body.data.map(({ name }) => name);
const codeOf = ({ status, body }: { status: number; body: { error?: string } }) =>
  `${status} ${body.error ?? ''}`.trim();

it('keeps filter, sort and columns of a person, by name and for one screen', async () => {
  const { status, body } = await create(clerk, { columns: ['age', 'number', 'customer', 'age'] });
  expect([status, body]).toEqual([201, { ...VIEW, id: body.id, version: 1 }]);
  await create(clerk, { screen: 'stock', name: 'Alarm', query: { low: 'true' }, columns: [] });
  expect(await names(clerk)).toEqual(['Alarm', 'Versand heute']);
  expect(await names(clerk, 'screen=stock')).toEqual(['Alarm']);
  expect((await core.call(listViews, { caller: clerk })).body.data).toContainEqual(body);
  expect(codeOf(await core.call(listViews, { caller: clerk, query: 'screen=kitchen' }))).toBe(
    '400 invalid_request',
  );
});

it('shows a personal view to nobody else, and answers its id like an unknown one', async () => {
  const { id } = (await create(clerk)).body;
  const stranger = await fixture();
  expect(await names(owner)).toEqual([]);
  expect(await names(stranger.staff('owner'), '', stranger)).toEqual([]);
  for (const viewId of [id, newId(), 'none']) {
    for (const there of [core, stranger]) {
      const caller = there.staff('owner');
      expect(codeOf(await update(caller, viewId, { name: 'Meine' }, { of: there }))).toBe('404 not_found');
      expect(codeOf(await remove(caller, viewId, there))).toBe('404 not_found');
    }
  }
  expect(await names(clerk)).toEqual(['Versand heute']);
});

it('is shared, changed and removed for all by owners only', async () => {
  expect(codeOf(await create(clerk, { shared: true }))).toBe('403 insufficient_scope');
  const mine = (await create(clerk)).body.id;
  expect(codeOf(await update(clerk, mine, { shared: true }))).toBe('403 insufficient_scope');
  const { id } = (await create(owner, { shared: true, name: 'Für alle' })).body;
  expect(await names(clerk)).toEqual(['Für alle', 'Versand heute']);
  expect(codeOf(await update(clerk, id, { name: 'Meine' }))).toBe('403 insufficient_scope');
  expect(codeOf(await remove(clerk, id))).toBe('403 insufficient_scope');
  const second = core.staff('owner');
  expect((await update(second, id, { query: {} })).body).toMatchObject({ query: {}, version: 2 });
  // It becomes the view of the owner who takes it back.
  expect((await update(second, id, { shared: false })).body.shared).toBe(false);
  expect([await names(clerk), await names(owner), await names(second)]).toEqual([
    ['Versand heute'],
    [],
    ['Für alle'],
  ]);
  expect((await remove(second, id)).status).toBe(204);
  const actions = (await core.auditOf(`view:${id}`)).map(({ action, actor }) => [action, actor]);
  const by = `staff:${second.actorId}`;
  expect(actions).toEqual([
    ['view.create', `staff:${owner.actorId}`],
    ['view.update', by],
    ['view.unshare', by],
    ['view.remove', by], // prettier-ignore
  ]);
});

it('is for the screens that the role reads, also after the role has changed', async () => {
  const requests = { screen: 'requests', query: { tab: 'asked' }, columns: [] };
  expect(codeOf(await create(clerk, requests))).toBe('403 insufficient_scope');
  const { id } = (await create(owner, { ...requests, shared: true })).body;
  expect(await names(clerk)).toEqual([]);
  expect(await names(core.staff('pharmacist'))).toEqual(['Versand heute']);
  const demoted = { ...owner, scopes: clerk.scopes };
  expect(await names(demoted)).toEqual([]);
  expect(codeOf(await remove(demoted, id))).toBe('404 not_found');
});

it('has a name once per person and screen, whatever its case; 50 concurrent calls make one', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(clerk)));
  const codes = answers.map(codeOf).sort();
  expect(codes).toEqual(['201', ...Array.from({ length: 49 }, () => '409 conflict')]);
  const again = await create(clerk, { name: ' VERSAND heute ' });
  expect([codeOf(again), again.body.message]).toEqual([
    '409 conflict',
    expect.stringContaining('another name'),
  ]);
  expect((await create(clerk, { name: 'Über Ägypten' })).status).toBe(201);
  expect(codeOf(await create(clerk, { name: 'über ÄGYPTEN' }))).toBe('409 conflict');
  const other = (await create(clerk, { name: 'Andere' })).body.id;
  expect(codeOf(await update(clerk, other, { name: 'versand heute' }))).toBe('409 conflict');
  for (const change of [{ screen: 'products', query: {}, columns: [] }])
    expect((await create(clerk, change)).status).toBe(201);
  expect((await create(owner)).status).toBe(201);
  expect((await create(owner, { shared: true })).status).toBe(201);
  expect(codeOf(await create(core.staff('owner'), { shared: true }))).toBe('409 conflict');
  const { id } = (await create(owner, { screen: 'stock', query: {}, columns: [] })).body;
  await create(owner, { screen: 'stock', query: {}, columns: [], shared: true });
  expect((await update(owner, id, { shared: true })).body.message).toContain('a view "Versand heute"');
});

it.each([
  ['of a person', false],
  ['shared with all', true],
])('has a limit of views %s, also for 5 concurrent calls', async (_, shared) => {
  // The first call stores the person.
  await names(owner);
  await test.database.rows(fillUp, core.orgId, shared ? null : owner.actorId, MAX_OWN_VIEWS - 1);
  const answers = await Promise.all(
    [...'abcde'].map((name) => create(owner, { name, screen: 'stock', query: {}, columns: [], shared })),
  );
  expect(answers.map(codeOf).sort()).toEqual(['201', ...Array.from({ length: 4 }, () => '409 conflict')]);
  const moved = (await create(owner, { shared: !shared })).body.id;
  expect(codeOf(await update(owner, moved, { shared }))).toBe('409 conflict');
});

it('loses no change of two people: the second one reads first', async () => {
  const { id } = (await create(owner, { shared: true })).body;
  const answers = await Promise.all(
    ['a', 'b'].map((name) => update(owner, id, { name }, { ifMatch: '"1"' })),
  );
  expect(answers.map(codeOf).sort()).toEqual(['200', '412 precondition_failed']);
  expect(answers.find(({ status }) => status === 200)?.etag).toBe('"2"');
  expect(codeOf(await update(owner, id, { name: 'c' }, { ifMatch: 'two' }))).toBe('400 invalid_request');
  expect((await update(owner, id, { name: 'c' }, { ifMatch: '"2"' })).body).toMatchObject({
    name: 'c',
    version: 3,
  });
});

it.each([
  [{ screen: 'kitchen' }, 'screen'],
  [{ name: ' ' }, 'name'],
  [{ name: 'x'.repeat(61) }, 'name'],
  [{ query: { q: 'anna@example.org' } }, 'query.q'],
  [{ query: { status: 'lost' } }, 'query.status'],
  [{ query: { status: ['shipped'] } }, 'query.status'],
  [{ query: { shop: 'x'.repeat(101) } }, 'query.shop'],
  [{ query: { tab: 'open' } }, 'query.tab'],
  [{ query: 'status=shipped' }, 'query'],
  [{ columns: ['customer'] }, 'columns'],
  [{ columns: ['number', 'password'] }, 'columns'],
  [{ columns: Array.from({ length: 10 }, () => 'number') }, 'columns'],
  [{ shared: 'yes' }, 'shared'],
])('refuses %j at the field %s', async (change, field) => {
  const { id } = (await create(owner, { name: 'Gut' })).body;
  const { status, body } = await create(owner, change);
  expect(status).toBe(400);
  expect(body.details).toContainEqual(expect.objectContaining({ field }));
  // A change takes the same, and no other screen.
  expect((await update(owner, id, change)).status).toBe(400);
});

it('takes no change that states nothing, and none of an ended session', async () => {
  const { id } = (await create(owner)).body;
  expect(codeOf(await update(owner, id, {}))).toBe('400 invalid_request');
  const ended = { ...owner, sessionId: newId() };
  for (const answer of [await create(ended, { name: 'x' }), await update(ended, id, { name: 'x' })])
    expect(codeOf(answer)).toBe('401 unauthorized');
  expect(codeOf(await remove(ended, id))).toBe('401 unauthorized');
});
