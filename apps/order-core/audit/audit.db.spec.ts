import { randomBytes } from 'node:crypto';
import { listAuditLog, verifyAuditLog } from '@offizin/contracts/reports/audit';
import { BACKGROUND_TRANSACTION_MS, statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderCoreSchema } from '../db/schema';
import { specKeys } from '../spec/request-handlers';
import { OrderCoreFixture } from '../spec/spec-fixture';
import { AuditVerifier } from './audit-verifier';
import { AuditHandlers } from './audit.handlers';
import { sealBacklog, unsealedCount } from './audit-seals.store';
import { appendAudit } from './audit.store';
import { AuditSealer } from './sealer';

let test: TestDatabase;
let core: OrderCoreFixture;
let dataKeys: ReturnType<typeof specKeys>;
let sealer: AuditSealer;
let verifier: AuditVerifier;

beforeEach(async () => {
  test = await testDatabase(orderCoreSchema);
  dataKeys = specKeys(test.database, randomBytes(32));
  sealer = new AuditSealer(test.database, dataKeys);
  verifier = new AuditVerifier(test.database, dataKeys);
  const audit = new AuditHandlers(test.database, verifier);
  core = await OrderCoreFixture.make(test.database, handlersIn(audit));
});
afterEach(() => test.close());

async function append(action: string): Promise<void> {
  await appendAudit(test.database, core.key(), action, 'order:1');
}

/** Seals until no entry waits. Transactions in other databases of the server can delay sealing, too. */
async function seal(): Promise<number> {
  let sealed = 0;
  await eventually('everything to be sealed', async () => {
    sealed += await sealer.sealSettled();
    return (await unsealedCount(test.database)) === 0;
  });
  return sealed;
}

async function verify(query = '') {
  return (await core.call(verifyAuditLog, { query })).body;
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const positionsOf = statement<{ position: string }, []>(
  'spec_positions',
  'SELECT a.position::text AS position FROM core.audit_log a ORDER BY a.position',
);

const checkpoint = statement<{ position: string; checked: string }, []>(
  'spec_checkpoint',
  'SELECT c.position::text AS position, c.checked::text AS checked FROM core.audit_checkpoints c',
);

async function positions(): Promise<number[]> {
  return (await test.database.rows(positionsOf)).map(({ position }) => Number(position));
}

describe('the seals', () => {
  it('cover every entry, and an intact log is reported as ok', async () => {
    expect(await verify()).toMatchObject({
      status: 'ok',
      checked: 0,
      unsealed: 0,
      complete: true,
      seal: null,
    });
    for (const action of ['a', 'b', 'c']) await append(action);
    expect(await verify()).toMatchObject({ status: 'ok', checked: 0, unsealed: 3 });
    expect(await seal()).toBe(3);
    const before = await verify();
    expect(before).toMatchObject({ status: 'ok', checked: 3, unsealed: 0 });
    await append('d');
    await seal();
    const [, , third = 0, fourth = 0] = await positions();
    expect(before.checked_to).toBe(third);
    expect(await verify(`after_position=${third}`)).toMatchObject({
      status: 'ok',
      checked: 1,
      checked_to: fourth,
    });
    expect(await verify()).toMatchObject({ status: 'ok', checked: 4 });
  });

  it('continue in the order of positions, round after round', async () => {
    for (let n = 1; n <= 12; n++) {
      await append(`n${n}`);
      expect(await seal()).toBe(1);
    }
    expect(await verify()).toMatchObject({
      status: 'ok',
      checked: 12,
      checked_to: (await positions()).at(-1),
    });
  });

  it('are written once when several sealers race', async () => {
    for (let n = 0; n < 20; n++) await append(`n${n}`);
    const others = Array.from({ length: 4 }, () => new AuditSealer(test.database, dataKeys));
    await eventually('everything to be sealed', async () => {
      await Promise.all(others.map((other) => other.sealSettled()));
      return (await unsealedCount(test.database)) === 0;
    });
    expect(await verify()).toMatchObject({ status: 'ok', checked: 20, unsealed: 0 });
  });

  it('wait for a lower position whose transaction is still running', async () => {
    const appended = gate();
    const mayEnd = gate();
    const slow = test.database.transaction(async (tx) => {
      await appendAudit(tx, core.key(), 'slow', 'order:1');
      appended.open();
      await mayEnd.opened;
    }, BACKGROUND_TRANSACTION_MS);
    await appended.opened;
    await append('quick');
    for (let round = 0; round < 5; round++) expect(await sealer.sealSettled()).toBe(0);
    mayEnd.open();
    await slow;
    expect(await seal()).toBe(2);
    expect(await verify()).toMatchObject({ status: 'ok', checked: 2 });
  });

  it('skip a position that was rolled back', async () => {
    await append('before');
    await expect(
      test.database.transaction(async (tx) => {
        await appendAudit(tx, core.key(), 'never', 'order:1');
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await append('after');
    expect(await seal()).toBe(2);
    expect(await verify()).toMatchObject({ status: 'ok', checked: 2 });
  });
});

describe('tampering', () => {
  let second: number;

  beforeEach(async () => {
    for (const action of ['a', 'b', 'c', 'd']) await append(action);
    await seal();
    second = (await positions())[1] ?? 0;
  });

  it.each([
    [
      'an edited entry',
      (at: number) => `UPDATE core.audit_log SET actor = 'key:other' WHERE position = ${at}`,
      0,
    ],
    [
      'a moved time',
      (at: number) => `UPDATE core.audit_log SET at = at - interval '1 us' WHERE position = ${at}`,
      0,
    ],
    ['a deleted entry', (at: number) => `DELETE FROM core.audit_log WHERE position = ${at}`, 0],
    [
      'an entry deleted with its seal',
      (at: number) =>
        `DELETE FROM core.audit_log WHERE position = ${at}; DELETE FROM core.audit_seals WHERE position = ${at}`,
      1,
    ],
    ['a deleted seal', (at: number) => `DELETE FROM core.audit_seals WHERE position = ${at}`, 0],
    [
      'a forged seal',
      (at: number) => `UPDATE core.audit_seals SET hash = sha256(hash) WHERE position = ${at}`,
      0,
    ],
    [
      'an inserted entry, in place of a deleted one',
      (at: number) => `UPDATE core.audit_log SET position = ${at} - 100 WHERE position = ${at}`,
      -100,
    ],
  ])('is found: %s', async (_what, sqlAt, offset) => {
    await test.forge(sqlAt(second));
    const found = await verify();
    expect(found).toMatchObject({ status: 'broken', first_broken_position: second + offset });
    await append('later');
    await seal();
    expect((await verify()).first_broken_position).toBe(found.first_broken_position);
  });

  it('is found: an entry inserted after the end, at a position that the sequence never issued', async () => {
    await test.forge(`INSERT INTO core.audit_log (position, org_id, actor, action, object, request_id)
                 SELECT 1000000, org_id, actor, 'forged', object, request_id FROM core.audit_log LIMIT 1`);
    for (let round = 0; round < 5; round++) expect(await sealer.sealSettled()).toBe(0);
    expect(await verify()).toMatchObject({ status: 'broken', first_broken_position: 1_000_000 });
  });

  it('is impossible for the service itself', async () => {
    for (const sql of [
      `UPDATE core.audit_log SET actor = 'x'`,
      'DELETE FROM core.audit_log',
      'TRUNCATE core.audit_log',
      `UPDATE core.audit_seals SET hash = ''`,
      'DELETE FROM core.audit_seals',
    ]) {
      await expect(test.database.rows(statement(`spec ${sql}`, sql))).rejects.toThrow('is append-only');
    }
  });
});

describe('the checkpoint', () => {
  let second: number;

  beforeEach(async () => {
    for (const action of ['a', 'b', 'c', 'd']) await append(action);
    await seal();
    second = (await positions())[1] ?? 0;
    expect(await verify()).toMatchObject({ status: 'ok', checked: 4 });
  });

  const edit = () => test.forge(`UPDATE core.audit_log SET actor = 'key:other' WHERE position = ${second}`);

  it('limits the next check to entries written since, but none from the beginning', async () => {
    await edit();
    await append('e');
    await seal();
    expect(await verify()).toMatchObject({ status: 'ok', checked: 5 });
    expect(await verify('after_position=0')).toMatchObject({
      status: 'broken',
      checked: 1,
      first_broken_position: second,
    });
  });

  it('is moved back by the background check, so that every check finds the edited entry', async () => {
    await edit();
    await verifier.patrol();
    for (let time = 0; time < 2; time++) {
      expect(await verify()).toMatchObject({ status: 'broken', first_broken_position: second });
    }
  });

  it.each([
    ['set forward', 'UPDATE core.audit_checkpoints SET position = position + 1000, checked = 1004'],
    ['of another seal', `UPDATE core.audit_checkpoints SET seal = sha256(seal)`],
    [
      'whose seal is gone',
      'DELETE FROM core.audit_seals WHERE position = (SELECT max(position) FROM core.audit_seals)',
    ],
  ])('shortens no check when it is invalid, and is itself a break: one %s', async (_what, sql) => {
    await test.forge(sql);
    expect(await verify()).toMatchObject({ status: 'broken', complete: true });
    await edit();
    expect(await verify()).toMatchObject({ status: 'broken', first_broken_position: second });
  });

  it('states where a check began', async () => {
    const last = (await positions()).at(-1);
    expect(await verify()).toMatchObject({ checked_from: last, checked_to: last });
    expect(await verify('after_position=0')).toMatchObject({ checked_from: 0, checked: 4 });
    expect(await verify(`after_position=${second}`)).toMatchObject({ checked_from: second, checked: 2 });
  });

  it('proves that the newest entries were cut off with their seals, wherever a check begins', async () => {
    await append('e');
    await seal();
    // As the console checks: the checkpoint follows.
    await verify('after_position=0');
    expect((await test.database.rows(checkpoint))[0]?.checked).toBe('5');
    await append('f');
    await seal();
    await verify(`after_position=${(await positions()).at(-2)}`);
    expect((await test.database.rows(checkpoint))[0]?.checked).toBe('6');
    const last = (await positions()).at(-1);
    await test.forge(`DELETE FROM core.audit_seals WHERE position = ${last}`);
    await test.forge(`DELETE FROM core.audit_log WHERE position = ${last}`);
    const broken = { status: 'broken', first_broken_position: last, complete: true };
    for (const query of [undefined, 'after_position=0', undefined])
      expect(await verify(query)).toMatchObject(broken);
  });

  it('is at the end after 50 concurrent checks', async () => {
    for (let n = 0; n < 20; n++) await append(`n${n}`);
    await seal();
    const found = await Promise.all(Array.from({ length: 50 }, () => verify()));
    expect(new Set(found.map(({ status, checked }) => `${status} ${checked}`))).toEqual(new Set(['ok 24']));
    const last = (await positions()).at(-1) ?? 0;
    expect(await test.database.rows(checkpoint)).toEqual([{ position: String(last), checked: '24' }]);
  });
});

it('gets one entry per change of an order, and none for an update without changes', async () => {
  const { id } = (await core.upsert('a', { customer_name: 'Erika' })).body;
  for (const customer_name of ['Erika', 'Erika Mustermann']) await core.upsert('a', { customer_name });
  for (const customer_name of ['Erika', 'Erika']) await core.update(id, { customer_name });
  for (const change of [{ status: 'shipped' }, { status: 'pending', force: true }, { status: 'pending' }])
    await core.patch(id, change);
  const { body } = await core.call(listAuditLog, { query: `object=order:${id}` });
  expect(body.data.map(({ action }) => action).reverse()).toEqual([
    'order.create',
    'order.update',
    'order.update',
    'order.status',
    'order.reopen',
  ]);
  for (const { actor, request_id } of body.data) {
    expect({ actor, request_id }).toEqual({ actor: `key:${core.keyId}`, request_id: 'spec' });
  }
});

describe('the backlog of the sealer', () => {
  it('reports count and age of unsealed entries, and is empty when all are sealed', async () => {
    await seal();
    expect(await sealBacklog(test.database)).toEqual({ entries: 0, oldest_age_seconds: null });
    await append('waits.first');
    await append('waits.second');
    await test.forge(
      `UPDATE core.audit_log SET at = now() - interval '90 seconds' WHERE action = 'waits.first'`,
    );
    const { entries, oldest_age_seconds: age } = await sealBacklog(test.database);
    expect(entries).toBe(2);
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(120);
  });
});

it('is verified by another process than the one that sealed it, and after a restart', async () => {
  const masterKey = randomBytes(32);
  const process = () => specKeys(test.database, masterKey);
  await append('order.status');
  sealer = new AuditSealer(test.database, process());
  await seal();
  expect(await new AuditVerifier(test.database, process()).verify()).toMatchObject({
    status: 'ok',
    checked: 1,
  });
});
