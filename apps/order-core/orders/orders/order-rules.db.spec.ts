import { ORDER_STATUSES } from '@offizin/contracts/orders/orders';
import { CLOSED_STATUSES } from '@offizin/contracts/orders/settings';
import { madeStatements, statement } from '@offizin/pg/database';
import { coreSpec } from '../../spec/core-spec';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { DROPPED_WHEN_ERASED } from './order-patch';
// Their statements.
import './order-status.store';
import './orders.store';

/** Rules of orders that are functions of the schema (db/0001-schema.sql). */

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

it('name the same statuses and columns as the code', async () => {
  const names = statement<{ closed: string[]; sold: string[]; dropped: string[] }, [string[]]>(
    'spec_names_of_rules',
    `SELECT array_agg(status) FILTER (WHERE core.is_closed(status)) AS closed,
            array_agg(status) FILTER (WHERE core.is_sold(status)) AS sold,
            core.dropped_when_erased(now()) AS dropped
     FROM unnest($1::text[]) status`,
  );
  expect(await test.database.rows(names, [...ORDER_STATUSES])).toEqual([
    {
      closed: [...CLOSED_STATUSES],
      sold: CLOSED_STATUSES.filter((status) => status !== 'cancelled'),
      dropped: [...DROPPED_WHEN_ERASED],
    },
  ]);
});

/** With queries inside; few orders reach them. */
const CALLED = [
  'is_approved_by_two',
  'lots_of',
  'merged_metadata',
  'read_back_change',
  'refuses_closed',
  'session_is_live',
  'sum_of_lines',
];

it('are in the plans of the statements: no row costs a call of another one', async () => {
  const functions = statement<{ name: string }, []>(
    'spec_functions',
    `SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'core'::regnamespace`,
  );
  const own = new Set((await test.database.rows(functions)).map(({ name }) => name));
  const calls = new Set<string>();
  for (const [text, { name }] of madeStatements) {
    if (!/^order_(?:upsert|upsert_one|update|patch_status|compare_patch)$/.test(name)) continue;
    const plan: unknown = await test.database.dataSource.query(`EXPLAIN (VERBOSE, GENERIC_PLAN) ${text}`);
    for (const [, call = ''] of JSON.stringify(plan).matchAll(/\b(\w+)\(/g))
      if (own.has(call)) calls.add(call);
  }
  expect([...calls].sort()).toEqual(CALLED);
});

/** As json_build_object writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)} : ${spaced(each)}`)
    .join(', ')}}`;
}

it('write the body of an event as json_build_object does', async () => {
  const bodies = statement<{ body: string }, [string]>(
    'spec_event_bodies',
    'SELECT body FROM core.outbox WHERE aggregate_id = $1 ORDER BY sequence',
  );
  const { id } = (await core.upsert('a "b"\\ ü\n')).body;
  await core.upsert('a "b"\\ ü\n', { customer_name: 'A' });
  await core.upsert('a "b"\\ ü\n', { payment_status: 'paid', payment_reference: 'r' });
  const written = await test.database.rows(bodies, id);
  expect(written).toHaveLength(3);
  for (const { body } of written) expect(body).toBe(spaced(JSON.parse(body)));
});
