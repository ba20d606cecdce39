import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { MAX_USES_SHOWN } from '@offizin/contracts/requests/prescription-checks';
import { ReviewListQuery } from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { encrypt } from '../../crypto/encryption';
import { linesRowId } from '../intake/list-columns';
import { usedBefore } from './checks.store';
import { ExpiryRule } from './decision';
import { listReviewRows } from './review-list.store';
import { ReviewFixture } from '../../spec/review-fixture';
import { brokerSpec } from '../../spec/core-spec';

const REQUESTS = 10_000;
/** Requests of one statement, so that a busy machine makes them within the limit of a statement. */
const FILLED_AT_ONCE = 1_000;

interface PlanLine {
  'QUERY PLAN': string;
}

type Columns = [string, string, string[], string[], string[], Buffer[], Buffer[]];
/** One per minute and customer, every tenth with a document that an earlier one had. */
const fill = statement<never, [...Columns, Buffer, number]>(
  'spec_fill_requests',
  `WITH filled AS (
     SELECT f.*, number + $9::int AS place
     FROM unnest($3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::bytea[]) WITH ORDINALITY
       AS f (id, name, status, lines, digest, number)
   ), requests AS (
     INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, status, customer_name,
       lines_ciphertext, line_count, shipping_option, total_amount, payload_ciphertext, payload_digest, customer_digest,
       created_at, updated_at)
     SELECT id, $1, $2::uuid, 'shop:' || $2::uuid, CASE WHEN place % 2 = 0 THEN 'R-' || place END, status, name, lines, 2,
       CASE WHEN place % 20 = 0 THEN 'Express' ELSE 'Versand' END, place / 7.0, $8, digest, digest,
       now() - make_interval(mins => 4 * place::int), now()
     FROM filled
   )
   INSERT INTO core.documents (id, org_id, order_request_id, state, sha256, signature, ciphertext, created_at)
   SELECT gen_random_uuid(), $1, id, 'stored', sha256((CASE WHEN place % 10 = 0 THEN place + 5 ELSE place END)::text::bytea),
     CASE WHEN place % 50 = 0 THEN 'altered' ELSE 'none' END, $8, now() - make_interval(mins => 4 * place::int)
   FROM filled WHERE place % 25 > 0`,
);
const vacuum = statement<never, []>('spec_vacuum', 'VACUUM (ANALYZE) core.order_requests, core.documents');

/** As of a partner that sends one file for every customer. */
const oneContent = statement<never, [string]>(
  'spec_one_content',
  `UPDATE core.documents SET sha256 = sha256('one'::bytea) WHERE org_id = $1::uuid`,
);

/** All but the asked ones are withdrawn by their sender: so many in one statement. */
const withdraw = statement<{ id: string }, [string, number]>(
  'spec_withdraw',
  `WITH withdrawn AS (
     UPDATE core.order_requests SET status = 'cancelled' WHERE id IN (
       SELECT id FROM core.order_requests
       WHERE org_id = $1::uuid AND status NOT IN ('needs_clarification', 'cancelled') LIMIT $2) RETURNING id
   ), documents AS (
     UPDATE core.documents d SET withdrawn_by = $1::uuid FROM withdrawn w WHERE d.order_request_id = w.id
   )
   SELECT id FROM withdrawn`,
);
const oneToken = statement<{ id: string }, [string, number]>(
  'spec_one_token',
  `WITH others AS (
     UPDATE core.order_requests SET e_prescription_digest = sha256('one'::bytea) WHERE id IN (
       SELECT id FROM core.order_requests WHERE org_id = $1::uuid AND e_prescription_digest IS NULL LIMIT $2) RETURNING id
   ), documents AS (
     UPDATE core.documents d SET sha256 = sha256(d.id::text::bytea) FROM others o WHERE d.order_request_id = o.id
   )
   SELECT id FROM others`,
);

/** In parts, for the same reason as above. */
async function changeAll(change: typeof withdraw): Promise<void> {
  while ((await test.database.rows(change, repeating.core.orgId, FILLED_AT_ONCE)).length > 0);
}

const test = brokerSpec();
let fixture: ReviewFixture;
let repeating: ReviewFixture;

beforeAll(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus);
  repeating = await ReviewFixture.make(test.database, test.bus);
  for (const owner of [fixture, repeating]) await fillUp(owner);
  await test.database.rows(oneContent, repeating.core.orgId);
  await test.database.rows(vacuum);
});
/** 8,000 open, 500 asked, 1,500 decided. */
function statusOf(place: number): string {
  if (place % 20 < 16) return 'pending';
  return place % 20 === 16 ? 'needs_clarification' : (['approved', 'rejected', 'expired'][place % 3] ?? '');
}

const FIRST = ['Anna', 'Jürgen', 'Zoë', 'Çağla', 'Łukasz', 'Bärbel', 'Günther', 'Renée', 'Sören', 'Ines'];
const LAST = ['Weber', 'Müller', 'Schröder', 'Groß', 'Yılmaz', 'Kowalski', 'Öztürk', 'Möller', 'Fuß', 'Lang'];
const LINES = ['Bediol', 'Bedrocan 22/1', 'Pedanios 18/1', 'Vaporizer', 'Aurora 20/1', 'Tilray THC25'];

async function fillUp({ core, dataKeys }: ReviewFixture): Promise<void> {
  const key = await dataKeys.keyOf(core.orgId);
  const all = Array.from({ length: REQUESTS }, (_, place) => {
    const id = newId();
    const name = `${FIRST[place % 10]} ${LAST[Math.floor(place / 10) % 10]}${place}`;
    const lines = `${(place % 15) + 1} × ${LINES[place % 6]}, 1 × ${LINES[(place >> 3) % 6]}`;
    return {
      id,
      name,
      status: statusOf(place),
      lines: encrypt(key, Buffer.from(lines), linesRowId(id)),
      digest: randomBytes(32),
    };
  });
  for (let first = 0; first < REQUESTS; first += FILLED_AT_ONCE) {
    const rows = all.slice(first, first + FILLED_AT_ONCE);
    await test.database.rows(
      fill,
      core.orgId,
      core.shopId,
      rows.map(({ id }) => id),
      rows.map(({ name }) => name),
      rows.map(({ status }) => status),
      rows.map(({ lines }) => lines),
      rows.map(({ digest }) => digest),
      randomBytes(900),
      first,
    );
  }
}

async function page(query: Partial<ReviewListQuery>, { core, dataKeys } = fixture, sql: Sql = test.database) {
  const { orgId } = core;
  const of = {
    orgId,
    actorId: newId(),
    key: await dataKeys.keyOf(orgId),
    expiry: new ExpiryRule(30),
    fourEyes: true,
  };
  return listReviewRows(sql, of, Object.assign(new ReviewListQuery(), { limit: 200, ...query }));
}

/** Blocks that the one statement of a page reads. */
async function blocksOf(query: Partial<ReviewListQuery>, owner = fixture): Promise<number> {
  return blocksReadBy((sql) => page(query, owner, sql));
}

/** Of one statement; unlike its time they do not depend on the machine. */
async function blocksReadBy(read: (sql: Sql) => Promise<unknown>): Promise<number> {
  const plans: string[][] = [];
  const explaining: Sql = {
    rows: async (asked, ...params) => {
      const text = `EXPLAIN (ANALYZE, BUFFERS) ${asked.text}`;
      const lines = await test.database.rows(
        statement<PlanLine, unknown[]>(`plan ${newId()}`, text),
        ...params,
      );
      plans.push(lines.map((line) => line['QUERY PLAN']));
      return test.database.rows(asked, ...params);
    },
  };
  await read(explaining);
  expect(plans.length).toBe(1);
  const [first = ''] = plans.flat().filter((line) => line.includes('Buffers:'));
  return [...first.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, blocks]) => sum + Number(blocks), 0);
}

it.each([
  [{}, 8_000],
  [{ tab: 'asked' }, 500],
  [{ tab: 'decided' }, 1_500],
  [{ tab: 'decided', sort: 'newest' }, 1_500],
  [{ sort: 'expiring' }, 8_000],
] as const)('a page of 200 of 10,000 requests (%j) is small and reads little', async (query, total) => {
  const first = await page(query);
  expect([first.data.length, first.total]).toEqual([200, total]);
  expect(gzipSync(JSON.stringify(first)).length).toBeLessThan(25 * 1024);
  expect(await blocksOf(query)).toBeLessThan(4_000);
  const cursor = first.next_cursor ?? '';
  expect(await blocksOf({ ...query, cursor })).toBeLessThan(4_000);
});

/** A filter looks at each of them, with its document and one that came before. */
const BLOCKS_OF_ALL = 10 * REQUESTS;

it.each([{}, { flag: 'used_before' }, { sort: 'newest' }] as const)(
  'a page of 200 of 10,000 requests with one PDF (%j) reads each about once',
  async (query) => {
    const { data } = await page(query, repeating);
    expect(data.length).toBe(200);
    // Every 25th has no document.
    expect(data.filter(({ flags }) => flags.includes('used_before')).length).toBeGreaterThan(190);
    expect(await blocksOf(query, repeating)).toBeLessThan(BLOCKS_OF_ALL);
  },
);

const BLOCKS_OF_ROW = 100;

describe('beside 9,500 withdrawn requests', () => {
  beforeAll(() => changeAll(withdraw));

  it.each(['PDF', 'token'])('a page of 200 with the same %s reads none of them', async (content) => {
    if (content === 'token') await changeAll(oneToken);
    await test.database.rows(vacuum);
    for (const query of [{ tab: 'asked' }, { tab: 'decided' }] as const) {
      const { data } = await page(query, repeating);
      const flagged = data.filter(({ flags }) => flags.includes('used_before')).length;
      expect(flagged).toBeGreaterThan(180);
      // A look at each of them would read at least 9,500 for each row.
      expect(await blocksOf(query, repeating)).toBeLessThan(200 * BLOCKS_OF_ROW);
    }
    // The newest, so that all others came before it.
    const [newest] = (await page({ tab: 'asked', sort: 'newest' }, repeating)).data;
    const uses = (sql: Sql, limit: number) => usedBefore(sql, repeating.core.orgId, newest?.id ?? '', limit);
    const shown = await uses(test.database, MAX_USES_SHOWN);
    expect(shown.map(({ withdrawn }) => withdrawn)).toEqual(shown.map(() => false));
    expect(shown).toHaveLength(MAX_USES_SHOWN);
    expect(await blocksReadBy((sql) => uses(sql, MAX_USES_SHOWN))).toBeLessThan(20 * MAX_USES_SHOWN);
  });
});
