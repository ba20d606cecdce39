import { randomUUID } from 'node:crypto';
import type { Caller } from '@offizin/contracts/calls/caller';
import { adjustInventory } from '@offizin/contracts/products/inventory';
import { created, type KeyRun } from '@offizin/contracts/calls/operation';
import { refusalToWire, toWire, type WireAnswer } from '@offizin/operations/serve-operation';
import { specDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { type Sql, statement } from '@offizin/pg/database';
import { Idempotency } from './idempotency';
import { IdempotencyKeyRow } from './idempotency-keys';
import { storeAnswer, storeAnswers } from './stored-answer';

const test = specDatabase({ schema: 'catalog', entities: [IdempotencyKeyRow], migrations: [] });
let idempotency: Idempotency;

beforeAll(async () => {
  await test.database.dataSource.synchronize();
  await test.database.dataSource.query('CREATE TABLE catalog.changes (key text NOT NULL)');
  idempotency = new Idempotency(test.database, 'catalog', 'a secret of thirty-two characters');
});

const change = statement<never, [string]>('spec_change', 'INSERT INTO catalog.changes (key) VALUES ($1)');
const changes = statement<never, [string]>('spec_changes', 'SELECT FROM catalog.changes WHERE key = $1');
const endLease = statement<never, [string]>(
  'spec_end_lease',
  `UPDATE catalog.idempotency_keys SET lease_until = now() - interval '1 second' WHERE key = $1`,
);
const leaseOf = statement<{ is_over: boolean }, [string]>(
  'spec_lease_of',
  'SELECT lease_until < now() AS is_over FROM catalog.idempotency_keys WHERE key = $1',
);
const lockKey = statement<never, [string]>(
  'spec_lock_key',
  'SELECT FROM catalog.idempotency_keys WHERE key = $1 FOR UPDATE',
);

class Changing {
  readonly key = randomUUID();
  readonly orgId = randomUUID();
  runs = 0;
  begins: (run: KeyRun) => void = () => undefined;
  before: () => Promise<void> = () => Promise.resolve();
  within: () => Promise<void> = () => Promise.resolve();
  after: () => Promise<void> = () => Promise.resolve();

  send(): Promise<WireAnswer> {
    const { orgId } = this;
    const caller: Caller = { kind: 'key', orgId, shopId: null, actorId: 'key', scopes: [], requestId: 'r' };
    const headers = { 'idempotency-key': this.key };
    const received = { caller, params: { orgId }, queryString: '', headers, body: Buffer.from('{}') };
    return idempotency.around(adjustInventory, received, (run) => this.run(run).catch(refusalToWire));
  }

  async changes(): Promise<number> {
    return (await test.database.rows(changes, this.key)).length;
  }

  async endLease(): Promise<void> {
    await test.database.rows(endLease, this.key);
  }

  private async run(keyRun: KeyRun | undefined): Promise<WireAnswer> {
    const { before, within, after } = this;
    const number = ++this.runs;
    if (keyRun) this.begins(keyRun);
    await before();
    const answer = await test.database.transaction(async (tx) => {
      await tx.rows(change, this.key);
      const reply = await storeAnswer(tx, keyRun, created({ run: number }));
      await within();
      return reply;
    });
    await after();
    return toWire(answer);
  }
}

function shown({ status, headers, body }: WireAnswer): string {
  return `${status} ${Buffer.from(body).toString()}${headers['idempotent-replayed'] ? ' again' : ''}`;
}

function gate(): { open: () => void; wait: () => Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), wait: () => opened };
}

const never = (): Promise<void> => new Promise(() => undefined);
const failing = (): Promise<void> => Promise.reject(new Error('failed'));

it('a run that dies after its commit has stored its answer: the repeat gets it immediately', async () => {
  const request = new Changing();
  request.after = never;
  void request.send();
  await eventually('the commit', async () => (await request.changes()) === 1);
  expect(shown(await request.send())).toBe('201 {"run":1} again');
  expect([request.runs, await request.changes()]).toEqual([1, 1]);
});

it('a run that fails after its commit keeps its key, though it was answered with a 500', async () => {
  const request = new Changing();
  request.after = failing;
  expect((await request.send()).status).toBe(500);
  expect(shown(await request.send())).toBe('201 {"run":1} again');
  expect(await request.changes()).toBe(1);
});

it('a run whose transaction fails leaves neither change nor answer, and the repeat runs', async () => {
  const request = new Changing();
  request.within = failing;
  expect((await request.send()).status).toBe(500);
  expect(await request.changes()).toBe(0);
  request.within = () => Promise.resolve();
  expect(shown(await request.send())).toBe('201 {"run":2}');
  expect(await request.changes()).toBe(1);
});

it('of two live runs, the overtaken one changes nothing and returns the answer of the other', async () => {
  const request = new Changing();
  const stopped = gate();
  request.before = stopped.wait;
  const late = request.send();
  await eventually('the first to run', () => request.runs === 1);
  await request.endLease();
  request.before = () => Promise.resolve();
  expect(shown(await request.send())).toBe('201 {"run":2}');
  stopped.open();
  expect(shown(await late)).toBe('201 {"run":2} again');
  expect(await request.changes()).toBe(1);
});

it('a run that was overtaken by one that is still running gets a 409', async () => {
  const request = new Changing();
  const [first, second] = [gate(), gate()];
  request.before = first.wait;
  const late = request.send();
  await eventually('the first to run', () => request.runs === 1);
  await request.endLease();
  request.before = second.wait;
  const successor = request.send();
  await eventually('the second to run', () => request.runs === 2);
  first.open();
  await expect(late).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  second.open();
  expect(shown(await successor)).toBe('201 {"run":2}');
  expect(await request.changes()).toBe(1);
});

it('a run that is about to commit is not overtaken, even with an expired lease', async () => {
  const request = new Changing();
  const committing = gate();
  request.within = committing.wait;
  const first = request.send();
  await eventually('the first to run', () => request.runs === 1);
  await eventually('its answer to be kept', () => isLocked(request.key));
  await expect(request.send()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  committing.open();
  expect(shown(await first)).toBe('201 {"run":1}');
  expect(shown(await request.send())).toBe('201 {"run":1} again');

  const other = new Changing();
  other.before = never;
  void other.send();
  await eventually('the other to run', () => other.runs === 1);
  await other.endLease();
  await test.database.transaction(async (tx: Sql) => {
    await tx.rows(lockKey, other.key);
    await expect(other.send()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  });
});

it('a live run renews its lease and is never overtaken', async () => {
  const request = new Changing();
  const slow = gate();
  request.before = slow.wait;
  const first = request.send();
  await eventually('the first to run', () => request.runs === 1);
  await request.endLease();
  await eventually('the lease to be renewed', async () => {
    await idempotency.renew();
    return (await test.database.rows(leaseOf, request.key))[0]?.is_over === false;
  });
  await expect(request.send()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  slow.open();
  expect(shown(await first)).toBe('201 {"run":1}');
  await expect(idempotency.renew()).resolves.toBeUndefined();
});

it('the final answer replaces the one that was stored with the change', async () => {
  const key = randomUUID();
  const orgId = randomUUID();
  const caller: Caller = { kind: 'key', orgId, shopId: null, actorId: 'key', scopes: [], requestId: 'r' };
  const headers = { 'idempotency-key': key };
  const received = { caller, params: { orgId }, queryString: '', headers, body: Buffer.from('{}') };
  const run = async (keyRun?: KeyRun): Promise<WireAnswer> => {
    await test.database.transaction((tx) => storeAnswer(tx, keyRun, created({ status: 'running' })));
    return toWire(created({ status: 'done' }));
  };
  await idempotency.around(adjustInventory, received, run);
  expect(shown(await idempotency.around(adjustInventory, received, run))).toBe('201 {"status":"done"} again');
});

it('calls in one transaction all roll back when one was overtaken', async () => {
  const [one, other] = [new Changing(), new Changing()];
  const ready = gate();
  const runs: KeyRun[] = [];
  const both = async (): Promise<void> => {
    await ready.wait();
    await test.database.transaction((tx) =>
      storeAnswers(
        tx,
        runs.map((run) => ({ run, answer: created({}) })),
      ),
    );
  };
  for (const request of [one, other]) {
    request.before = both;
    request.begins = (run) => void runs.push(run);
  }
  const sent = [one.send(), other.send()];
  await eventually('both to run', () => runs.length === 2);
  await other.endLease();
  other.before = () => Promise.resolve();
  await other.send();
  ready.open();
  const answers = (await Promise.all(sent)).map(shown);
  expect(answers).toEqual([expect.stringMatching(/^409 .*idempotency_in_progress/), '201 {"run":2} again']);
  expect([await one.changes(), await other.changes()]).toEqual([0, 1]);
});

it('stores nothing without a key, and throws for a foreign run', async () => {
  const answer = created({ run: 1 });
  expect(await test.database.transaction((tx) => storeAnswer(tx, undefined, answer))).toBe(answer);
  const foreign: KeyRun = { orgId: randomUUID(), key: 'k', leaseToken: randomUUID() };
  await expect(test.database.transaction((tx) => storeAnswer(tx, foreign, answer))).rejects.toThrow(
    'only Idempotency creates runs',
  );
});

async function isLocked(key: string): Promise<boolean> {
  const free = statement<never, [string]>('spec_free_key', `${lockKey.text} SKIP LOCKED`);
  return (await test.database.rows(free, key)).length === 0;
}
