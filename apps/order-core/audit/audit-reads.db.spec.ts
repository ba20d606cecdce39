import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { blocksRead } from '@offizin/testkit/blocks-read';
import { walkPages } from '@offizin/testkit/walk-pages';
import { AuditLogQuery } from '@offizin/contracts/reports/audit';
import { OrderCoreFixture } from '../spec/spec-fixture';
import { ReadAudit } from './read-audit';
import { coreSpec } from '../spec/core-spec';
import { auditPage, listAudit } from './audit-list.store';

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

describe('the entry of a read', () => {
  interface Entry {
    actor: string;
    action: string;
    object: string;
    request_id: string;
  }
  const entriesOf = statement<Entry, [string]>(
    'spec_read_entries',
    `SELECT actor, action, object, request_id FROM core.audit_log WHERE org_id = $1 ORDER BY object`,
  );

  it('writes one entry for each of 200 concurrent reads, each with its own caller', async () => {
    const other = await OrderCoreFixture.make(test.database);
    const audit = new ReadAudit(test.database);
    const callers = Array.from({ length: 200 }, (_, n) => (n % 2 ? core : other).key());
    await Promise.all(callers.map((caller, n) => audit.append(caller, 'thing.read', `thing:${1000 + n}`)));
    for (const owner of [core, other]) {
      const entries = await test.database.rows(entriesOf, owner.orgId);
      expect(entries).toEqual(
        callers.flatMap((caller, n) =>
          caller.orgId === owner.orgId
            ? [
                {
                  action: 'thing.read',
                  object: `thing:${1000 + n}`,
                  request_id: caller.requestId,
                  actor: expect.stringContaining(caller.actorId) as string,
                },
              ]
            : [],
        ),
      );
    }
  });

  it('refuses the wrong entry alone', async () => {
    const audit = new ReadAudit(test.database);
    const right = core.key();
    const wrong = { ...core.key(), orgId: 'no uuid' };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) =>
        audit.append(n === 7 ? wrong : right, 'thing.read', `thing:${newId()}`),
      ),
    );
    expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([7]);
    expect(await test.database.rows(entriesOf, core.orgId)).toHaveLength(49);
  });
});

describe('a long log', () => {
  /** The filters of a long log, in which a person's entries are rare among those of programs. */
  const ENTRIES = 40_000;
  /** Entries of one statement, which must end in a few seconds on a busy machine. */
  const SLICE = 5_000;
  const PERSON = 'staff:0197c4a0-0000-7000-8000-000000000001';
  /** Less than a tenth of the log's blocks. */
  const FEW_BLOCKS = 60;

  /** One a minute. Both organizations have the same actors, objects and times. */
  const fill = statement<never, [string, number, string, number]>(
    'spec_fill_audit',
    `INSERT INTO core.audit_log (org_id, at, actor, action, object, request_id)
   SELECT $1, '2026-01-01T00:00:00Z'::timestamptz + make_interval(mins => n),
     CASE WHEN n % 4000 = 7 THEN $3 ELSE 'key:0197c4a0-0000-7000-8000-000000000002' END,
     CASE WHEN n % 4000 = 7 THEN 'prescription.view' ELSE 'order.update' END, 'order:' || n % 1000, 'request-' || n
   FROM generate_series($4::int + 1, $4::int + $2::int) n`,
  );
  const vacuum = statement<never, []>('spec_vacuum_audit', 'VACUUM (ANALYZE) core.audit_log');

  let long: OrderCoreFixture;

  beforeAll(async () => {
    long = await OrderCoreFixture.make(test.database);
    for (const { orgId } of [long, await OrderCoreFixture.make(test.database)])
      for (let from = 0; from < ENTRIES; from += SLICE)
        await test.database.rows(fill, orgId, SLICE, PERSON, from);
    await test.database.rows(vacuum);
  });

  function list(query: Partial<AuditLogQuery>, sql: Sql = test.database) {
    return listAudit(sql, long.orgId, Object.assign(new AuditLogQuery(), query));
  }

  async function blocksOf(query: Partial<AuditLogQuery>): Promise<number> {
    const blocks = await blocksRead(test.database, (sql) => list(query, sql));
    return blocks.reduce((sum, count) => sum + count, 0);
  }

  const HOUR = { from: '2026-01-02T00:00:00Z', to: '2026-01-02T01:00:00Z' };

  it.each([
    ['of a person', { actor: PERSON }, 10],
    ['of a person and an action', { actor: PERSON, action: 'prescription.view' }, 10],
    ['of an hour long ago', HOUR, 60],
    ['of a person in an hour', { ...HOUR, actor: PERSON }, 0],
    ['of an object', { object: 'order:8' }, 40],
  ])(
    'finds the entries %s without reading the log, and none of another organization',
    async (_, query, total) => {
      const page = await list({ ...query, limit: 20 });
      expect([page.pagination.total, page.data.length]).toEqual([total, Math.min(20, total)]);
      expect(await blocksOf({ ...query, limit: 20 })).toBeLessThan(FEW_BLOCKS);
    },
  );

  it('walks filtered pages by cursor to the last entry, newest first, each once', async () => {
    const rows = await walkPages(async (_, cursor) => {
      const page = await list({ ...HOUR, limit: 25, cursor });
      expect(page.pagination.total).toBe(60);
      return page;
    });
    const seen = rows.map(({ position }) => position);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
    expect(seen.length).toBe(60);
    const { next_cursor: other } = (await list({ ...HOUR, limit: 25 })).pagination;
    await expect(list({ limit: 25, cursor: other ?? '' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('takes one end of a period alone, and an empty period', async () => {
    const totalOf = async (query: Partial<AuditLogQuery>) => (await list(query)).pagination.total;
    expect(await totalOf({ to: '2026-01-01T00:10:00Z' })).toBe(9);
    expect(await totalOf({ from: '2026-01-28T18:31:00Z' })).toBe(ENTRIES - 39_991 + 1);
    expect(await totalOf({ from: HOUR.to, to: HOUR.from })).toBe(0);
  });

  it('is walked page by page for a file, with the total of its first page', async () => {
    const filters = { action: 'order.update', from: '2026-01-28T00:00:00.000Z' };
    const found: number[] = [];
    const first = await auditPage(test.database, long.orgId, filters, null);
    let page = first;
    for (;;) {
      found.push(...page.entries.map(({ position }) => position));
      if (page.next === null) break;
      page = await auditPage(test.database, long.orgId, filters, page.next);
    }
    expect(first.total).toBe(found.length);
    expect(page.total).toBeNull();
    expect(found).toEqual([...new Set(found)].sort((one, other) => other - one));
  });
});
