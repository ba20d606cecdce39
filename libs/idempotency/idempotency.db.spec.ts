import { randomUUID } from 'node:crypto';
import type { Caller } from '@offizin/contracts/calls/caller';
import { createApiKey, rotateApiKey } from '@offizin/contracts/people/directory';
import type { ErrorCode } from '@offizin/contracts/calls/error-table';
import type { Operation } from '@offizin/contracts/calls/operation';
import { getOrder, patchOrderStatus, updateOrder, upsertOrder } from '@offizin/contracts/orders/orders';
import { submitExternalOrder } from '@offizin/contracts/requests/order-requests';
import type { ReceivedCall, WireAnswer } from '@offizin/operations/serve-operation';
import { createWebhook, rotateWebhookSecret } from '@offizin/contracts/webhooks/webhooks';
import { specDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { AnswerEncryption } from './answer-encryption';
import { statement } from '@offizin/pg/database';
import { Idempotency } from './idempotency';
import { IdempotencyKeyRow } from './idempotency-keys';

const SECRET = 'a secret of thirty-two characters';
const test = specDatabase({ schema: 'catalog', entities: [IdempotencyKeyRow], migrations: [] });
let idempotency: Idempotency;

beforeAll(async () => {
  await test.database.dataSource.synchronize();
  idempotency = new Idempotency(test.database, 'catalog', SECRET);
});

class Request {
  effects = 0;
  answer: WireAnswer = { status: 201, headers: { etag: '"1"' }, body: '{"api_key":"shown once"}' };
  gate: Promise<void> = Promise.resolve();
  op: Operation = upsertOrder;
  orgId: string = randomUUID();
  actorId = 'key';
  key: string | undefined = randomUUID();
  body = '{"a":1}';
  queryString = '';
  orderId = 'one';

  async sendAndRun(): Promise<{ answer: Promise<WireAnswer> }> {
    const answer = this.send();
    await eventually('the request to run', () => this.effects === 1);
    return { answer };
  }

  send(through: Idempotency = idempotency): Promise<WireAnswer> {
    const { orgId, actorId } = this;
    const caller: Caller = { kind: 'key', orgId, shopId: null, actorId, scopes: [], requestId: 'r' };
    const received: ReceivedCall = {
      caller,
      params: { orgId, orderId: this.orderId },
      queryString: this.queryString,
      headers: this.key === undefined ? {} : { 'idempotency-key': this.key },
      body: Buffer.from(this.body),
    };
    return through.around(this.op, received, async () => {
      this.effects++;
      await this.gate;
      return this.answer;
    });
  }
}

function textOf({ body }: WireAnswer): string {
  return Buffer.from(body).toString();
}

const shift = {
  created: statement<never, [string, string]>(
    'spec_created',
    'UPDATE catalog.idempotency_keys SET created_at = created_at - $2::interval WHERE key = $1',
  ),
  lease: statement<never, [string, string]>(
    'spec_lease',
    'UPDATE catalog.idempotency_keys SET lease_until = lease_until - $2::interval WHERE key = $1',
  ),
};
const rowOf = statement<IdempotencyKeyRow, [string]>(
  'spec_row',
  'SELECT * FROM catalog.idempotency_keys WHERE key = $1',
);

async function age(which: keyof typeof shift, key: string | undefined, by: string): Promise<void> {
  await test.database.rows(shift[which], key ?? '', by);
}

async function expectRefusal(sending: Promise<WireAnswer>, code: ErrorCode): Promise<void> {
  await expect(sending).rejects.toMatchObject({ name: 'Refused', code });
}

describe('the same request again', () => {
  it('gets status, headers and body of the first, marked as replayed', async () => {
    const request = new Request();
    expect(await request.send()).toEqual(request.answer);
    const again = await request.send();
    expect({ ...again, body: textOf(again) }).toEqual({
      status: 201,
      headers: { etag: '"1"', 'idempotent-replayed': 'true' },
      body: '{"api_key":"shown once"}',
    });
    expect(request.effects).toBe(1);
  });

  it.each([404, 409, 412, 422])('gets a refusal of %i again', async (status) => {
    const request = new Request();
    request.answer = { status, headers: {}, body: '{}' };
    await request.send();
    expect((await request.send()).headers).toEqual({ 'idempotent-replayed': 'true' });
    expect(request.effects).toBe(1);
  });

  it.each([400, 401, 403, 413, 415, 429, 500, 503, 504])('runs again after a %i', async (status) => {
    const request = new Request();
    request.answer = { status, headers: {}, body: '{}' };
    expect((await request.send()).status).toBe(status);
    request.answer = { status: 200, headers: {}, body: '{}' };
    expect(await request.send()).toEqual(request.answer);
    expect(request.effects).toBe(2);
  });

  it.each(['{ "a": 1 }', '{"b":[1.50,2],"a":1}', '{"a":1.0,"b":[15e-1,2]}'])(
    'is the same as %s',
    async (body) => {
      const request = new Request();
      if (body.includes('b')) request.body = '{"a":1,"b":[1.5,2]}';
      await request.send();
      request.body = body;
      expect((await request.send()).headers).toHaveProperty('idempotent-replayed');
      expect(request.effects).toBe(1);
    },
  );

  it('is refused while the first is running', async () => {
    const request = new Request();
    let open = (): void => undefined;
    request.gate = new Promise((resolve) => (open = resolve));
    const first = await request.sendAndRun();
    await expect(request.send()).rejects.toMatchObject({
      code: 'idempotency_in_progress',
      headers: { 'retry-after': '1' },
    });
    open();
    expect((await first.answer).status).toBe(201);
    expect((await request.send()).headers['idempotent-replayed']).toBe('true');
  });

  it('runs after 24 hours, as if the key were new', async () => {
    const request = new Request();
    await request.send();
    await age('created', request.key, '23 hours 59 minutes');
    expect((await request.send()).headers).toHaveProperty('idempotent-replayed');
    await age('created', request.key, '2 minutes');
    expect((await request.send()).headers).not.toHaveProperty('idempotent-replayed');
    expect(request.effects).toBe(2);
  });
});

describe('another request with the same key is refused', () => {
  it.each<[string, (request: Request) => void]>([
    ['when its body differs', (request) => (request.body = '{"a":2}')],
    ['when its lines have another order', (request) => (request.body = '[1,{"a":1}]')],
    ['when its query differs', (request) => (request.queryString = 'shop_id=2')],
    ['when another actor of the organization sends it', (request) => (request.actorId = 'other key')],
    ['when its path differs', (request) => (request.op = { ...upsertOrder, path: '/other' })],
  ])('%s', async (_, change) => {
    const request = new Request();
    await request.send();
    change(request);
    await expectRefusal(request.send(), 'idempotency_key_reused');
    expect(request.effects).toBe(1);
  });

  it('when a parameter of its path differs', async () => {
    const request = new Request();
    request.op = { ...patchOrderStatus, method: 'POST' };
    await request.send();
    request.orderId = 'two';
    await expectRefusal(request.send(), 'idempotency_key_reused');
  });
});

describe('a run that never ended', () => {
  it('holds its key for the lease, then the same request may run again, and no other', async () => {
    const request = new Request();
    request.gate = new Promise(() => undefined);
    await request.sendAndRun();
    await expectRefusal(request.send(), 'idempotency_in_progress');
    await age('lease', request.key, '4 seconds');
    await expectRefusal(request.send(), 'idempotency_in_progress');
    await age('lease', request.key, '2 seconds');
    request.gate = Promise.resolve();
    request.body = '{"a":2}';
    await expectRefusal(request.send(), 'idempotency_key_reused');
    request.body = '{"a":1}';
    expect((await request.send()).status).toBe(201);
    expect(request.effects).toBe(2);
  });

  it('and ends after all does not overwrite the answer of its successor', async () => {
    const request = new Request();
    let open = (): void => undefined;
    request.gate = new Promise((resolve) => (open = resolve));
    const late = await request.sendAndRun();
    await age('lease', request.key, '6 seconds');
    request.gate = Promise.resolve();
    request.answer = { status: 200, headers: {}, body: 'of the successor' };
    await request.send();
    request.answer = { status: 500, headers: {}, body: 'of the late one' };
    open();
    expect(textOf(await late.answer)).toBe('of the late one');
    expect(textOf(await request.send())).toBe('of the successor');
  });
});

it('of 100 racing equal requests one takes effect, and the others get a 409 or its answer', async () => {
  const request = new Request();
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => request.send()));
  expect(request.effects).toBe(1);
  const kinds = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') return (outcome.reason as { code: string }).code;
    return outcome.value.headers['idempotent-replayed'] ? 'replayed' : 'ran';
  });
  expect(kinds.filter((kind) => kind === 'ran')).toHaveLength(1);
  expect(kinds.filter((kind) => !['ran', 'replayed', 'idempotency_in_progress'].includes(kind))).toEqual([]);
  expect(await test.database.rows(rowOf, request.key ?? '')).toHaveLength(1);
});

it('equal keys of two organizations are independent', async () => {
  const own = new Request();
  const foreign = new Request();
  foreign.key = own.key;
  foreign.answer = { status: 200, headers: {}, body: 'foreign' };
  await own.send();
  expect(textOf(await foreign.send())).toBe('foreign');
  expect(textOf(await own.send())).toBe('{"api_key":"shown once"}');
});

it.each<[string, (request: Request) => void]>([
  ['no key', (request) => (request.key = undefined)],
  ['a GET', (request) => (request.op = getOrder)],
  ['a PUT', (request) => (request.op = updateOrder)],
  ['a PATCH', (request) => (request.op = patchOrderStatus)],
  ['the connector', (request) => (request.op = submitExternalOrder)],
  ['a caller without an organization', (request) => (request.orgId = '')],
])('nothing is kept for %s', async (_, change) => {
  const request = new Request();
  const { key = '' } = request;
  change(request);
  await request.send();
  expect(await request.send()).toEqual(request.answer);
  expect(request.effects).toBe(2);
  expect(await test.database.rows(rowOf, key)).toEqual([]);
});

it('answers are stored encrypted, and an undecryptable one is refused', async () => {
  const request = new Request();
  await request.send();
  const [row] = await test.database.rows(rowOf, request.key ?? '');
  expect(row?.answer_ciphertext?.includes('shown once')).toBe(false);
  await expectRefusal(
    request.send(new Idempotency(test.database, 'catalog', `${SECRET} changed`)),
    'conflict',
  );
  expect(request.effects).toBe(1);
});

it('a key is held for its actor also while the request runs, and when its process died', async () => {
  const request = new Request();
  request.gate = new Promise(() => undefined);
  await request.sendAndRun();
  request.actorId = 'other key';
  await expectRefusal(request.send(), 'idempotency_key_reused');
  await age('lease', request.key, '6 seconds');
  await expectRefusal(request.send(), 'idempotency_key_reused');
  expect(request.effects).toBe(1);
});

it.each<[Operation, string]>([
  [createApiKey, 'api_key'],
  [rotateApiKey, 'api_key'],
  [createWebhook, 'secret'],
  [rotateWebhookSecret, 'secret'],
])('the secret of $name is answered once, and neither stored nor repeated', async (op, field) => {
  const request = new Request();
  request.op = op;
  const body = { id: 'one', [field]: 'a secret', name: 'ERP' };
  request.answer = { status: 201, headers: {}, body: JSON.stringify(body) };
  expect(await request.send()).toEqual(request.answer);
  expect(JSON.parse(textOf(await request.send()))).toEqual({ ...body, [field]: null });
  const [row] = await test.database.rows(rowOf, request.key ?? '');
  const stored = new AnswerEncryption(SECRET).decrypt(
    row?.answer_ciphertext ?? Buffer.alloc(0),
    `${request.orgId}:${request.key}`,
  );
  expect(stored.toString()).not.toContain('a secret');
});

it('a refusal of such an operation is repeated as it was', async () => {
  const request = new Request();
  request.op = createApiKey;
  request.answer = { status: 409, headers: {}, body: '{"error":"conflict"}' };
  await request.send();
  expect(textOf(await request.send())).toBe('{"error":"conflict"}');
});

it('deletes expired keys and no others', async () => {
  const [old, young] = [new Request(), new Request()];
  await old.send();
  await young.send();
  await age('created', old.key, '25 hours');
  expect(await idempotency.forgetOld()).toBeGreaterThanOrEqual(1);
  expect(await test.database.rows(rowOf, old.key ?? '')).toEqual([]);
  expect(await test.database.rows(rowOf, young.key ?? '')).toHaveLength(1);
});
