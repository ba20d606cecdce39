import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditLogResponse, AuditVerifyResponse } from '@offizin/contracts/reports/audit';
import type { EraseCustomerResponse } from '@offizin/contracts/people/customers';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { OrderDetail } from '@offizin/contracts/orders/orders';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** What was done is written down and sealed; a customer who wants to be forgotten is, and only there. */
const platform = usePlatform();
let own: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
});

async function verify(query = ''): Promise<AuditVerifyResponse> {
  const answer = await own.api('GET', `/audit-log/verify${query}`);
  expect(answer.status).toBe(200);
  return json<AuditVerifyResponse>(answer);
}

describe('the audit log', () => {
  it('is sealed within seconds, and is as it was sealed', async () => {
    await own.createOrder();
    const first = await verify();
    const [newest] = json<AuditLogResponse>(await own.api('GET', '/audit-log?limit=1')).data;
    const sealed = await eventually('the newest entry to be sealed', async () => {
      const found = await verify();
      expect(found.status).toBe('ok');
      return found.checked_to >= (newest?.position ?? 0) && found;
    });
    expect(sealed).toMatchObject({
      status: 'ok',
      complete: true,
      seal: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(sealed.checked).toBeGreaterThanOrEqual(first.checked);
    expect(await verify(`?after_position=${sealed.checked_to}`)).toMatchObject({ status: 'ok' });
    expect((await own.api('GET', '/audit-log/verify?after_position=999999999')).status).toBe(400);
  });
});

it('a proof of a decision leaves the house, and the published keys check it', async () => {
  const requestId = await own.submit(orderRequest());
  await own.api('POST', `/order-requests/${requestId}/reject`, { reason: 'other' });
  const proof = await eventually('the decision to be sealed', async () => {
    const answer = await own.api('GET', `/order-requests/${requestId}/proof`);
    return answer.status === 200 && answer.body.toString();
  });
  const address = `${own.urls.baseUrl}/.well-known/offizin-proof-keys`;
  const { status, headers, body } = await http(address);
  expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
  expect(body.toString()).not.toContain('"d"');
  expect((await http(address, { headers: { 'if-none-match': String(headers['etag']) } })).status).toBe(304);
  const file = join(mkdtempSync(join(tmpdir(), 'offizin-proof-')), 'proof.json');
  writeFileSync(file, proof);
  const checker = join(checkoutRoot, 'docs/integrate/verify-proof.mjs');
  const checked = spawnSync(process.execPath, [checker, file, address], { encoding: 'utf8' });
  expect([checked.status, checked.stdout + checked.stderr]).toEqual([
    0,
    expect.stringContaining(`genuine: ${requestId} was rejected by key:${own.apiKey.id} at `),
  ]);
  expect((await foreign.api('GET', `/order-requests/${requestId}/proof`)).status).toBe(404);
});

describe('erasing a customer', () => {
  const erase = async (email: string): Promise<EraseCustomerResponse> =>
    json<EraseCustomerResponse>(await own.api('POST', '/customers/erase', { email }));

  it('keeps an open request from being approved with what was erased', async () => {
    const email = `${uniqueTag()}@example.org`;
    const requestId = await own.submit(orderRequest({ customer_email: email }));
    await erase(email);
    const answer = await own.api('POST', `/order-requests/${requestId}/approve`, {});
    expect(answer.status).toBe(200);
    expect(json<{ order: OrderDetail }>(answer).order).toMatchObject({
      customer_name: null,
      total_amount: 7,
    });
  });

  it('empties stored answers: a replay does not repeat who the customer was, and the key stays used', async () => {
    const canary = uniqueTag();
    const customer = { customer_name: `Name${canary}`, customer_email: `${canary}@example.org` };
    const address = { address_street: `Street${canary}` };
    const requestIds = [1, 2, 3].map(() => own.submit(orderRequest({ ...customer, ...address })));
    const [approved, rejected, asked] = await Promise.all(requestIds);
    const upsert = { shop_id: own.shops[0].shopId, external_id: canary, ...customer, ...address };
    const calls: [string, object][] = [
      ['/orders', upsert],
      ['/orders', upsert],
      [`/order-requests/${approved}/approve`, {}],
      [`/order-requests/${approved}/approve`, {}],
      [`/order-requests/${rejected}/reject`, { reason: 'other' }],
      [`/order-requests/${rejected}/reject`, { reason: 'other' }],
      [`/order-requests/${asked}/request-clarification`, { question: 'Which street?' }],
    ];
    const sent: { path: string; body: object; key: string }[] = [];
    for (const [path, body] of calls) {
      const key = randomUUID();
      const answer = await own.api('POST', path, body, { 'idempotency-key': key });
      expect([path, answer.status < 300, answer.body.toString().includes(canary)]).toEqual([
        path,
        true,
        true,
      ]);
      sent.push({ path, body, key });
    }
    expect(await erase(customer.customer_email)).toMatchObject({ orders: 2, order_requests: 3 });
    for (const { path, body, key } of sent) {
      for (const repeated of [body, { ...body, version: 1 }]) {
        const answer = await own.api('POST', path, repeated, { 'idempotency-key': key });
        expect([path, answer.body.toString()]).toEqual([path, expect.not.stringContaining(canary)]);
        expect(json<ErrorBody>(answer)).toMatchObject({ error: 'conflict' });
      }
    }
  });

  it('takes exactly one of e-mail and ids, and answers a foreign id like an unknown one', async () => {
    const eraseBy = (body: object) => own.api('POST', '/customers/erase', body);
    const order = await foreign.createOrder();
    const id = randomUUID();
    for (const body of [
      {},
      { email: 'erika' },
      { email: null },
      { order_id: 7 },
      { name: 'Erika' },
      { email: 'a@example.org', order_id: id },
      { order_id: id, order_request_id: id },
    ]) {
      const answer = await eraseBy(body);
      expect([body, answer.status]).toEqual([body, 400]);
    }
    const both = json<ErrorBody>(await eraseBy({ order_id: id, prescription_id: id }));
    expect(both.details?.map(({ field }) => field)).toEqual(['order_id', 'prescription_id']);
    const noneGiven = json<ErrorBody>(await eraseBy({}));
    expect(noneGiven.message).toMatch(/email, order_id, order_request_id, prescription_id/);
    const answers: string[] = [];
    for (const order_id of [order.id, id, 'no-id']) {
      const answer = await eraseBy({ order_id });
      answers.push(`${answer.status} ${answer.body.toString()}`);
    }
    for (const field of ['order_request_id', 'prescription_id'])
      expect((await eraseBy({ [field]: order.id })).status).toBe(404);
    expect(new Set(answers)).toEqual(new Set([expect.stringMatching(/^404 /)]));
  });
});
