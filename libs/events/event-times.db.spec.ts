import { wasPaused } from '@offizin/runtime/pause-detector';
import { eventually } from '@offizin/testkit/eventually';
import { stageOutbox } from '@offizin/testkit/outbox-stage';
import { appendAuditRecord } from './audit-outbox';
import { appendEvent } from './outbox';

const HOUR_MS = 3_600_000;
const LEEWAY_MS = 30_000;
const stage = stageOutbox();
afterEach(() => jest.useRealTimers());

it.each([HOUR_MS, -HOUR_MS])(
  'stores the time of the database when the clock of the process jumps by %i ms',
  async (shiftMs) => {
    const doNotFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const;
    const further = ['clearImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const;
    jest.useFakeTimers({ now: Date.now() + shiftMs, doNotFake: [...doNotFake, ...further] });
    await eventually('the beat after the jump', () => !wasPaused());
    await stage.append(stage.newEvent('many', 1), stage.newEvent('many', 2));
    await stage.database.transaction(async (tx) => {
      await appendEvent(tx, 'core', stage.newEvent('one', 1));
      const caller = { kind: 'key', actorId: 'a', requestId: 'r' } as const;
      await appendAuditRecord(tx, 'core', caller, { orgId: stage.orgId, action: 'a.b', object: 'a:b' });
    });
    const rows = await stage.sql<{ body: string; id_ms: string; now_ms: string }>(
      `SELECT body, ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint AS id_ms,
       extract(epoch FROM clock_timestamp())::bigint * 1000 AS now_ms FROM core.outbox`,
    );
    expect(rows).toHaveLength(4);
    for (const { body, id_ms: idMs, now_ms: nowMs } of rows) {
      const { id, created_at: createdAt, at = createdAt } = JSON.parse(body) as Record<string, string>;
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(id).toBeDefined();
      expect(Math.abs(Date.parse(at ?? '') - Number(nowMs))).toBeLessThan(LEEWAY_MS);
      expect(Math.abs(Number(idMs) - Number(nowMs))).toBeLessThan(LEEWAY_MS);
    }
  },
);
