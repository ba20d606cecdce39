import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { importCatalog } from '@offizin/contracts/products/catalog-import';
import { eventually } from '@offizin/testkit/eventually';
import { http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import { makePdf } from '@offizin/testkit/pdf';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { say } from '../offizin/output';
import { Platform, type PlatformAccess } from '../offizin/platform';
import type { DemoFile, DemoOrganization, DemoShop } from '../up/demo-file';

/** Used by this walk only: each stocks what it sells. */
const LINES = [
  { p1_id: 'SMOKE-0001', name: 'Tee', quantity: 2, price: 6.9 },
  { p1_id: 'SMOKE-0002', name: 'Vitamin D3', quantity: 1, price: 9.95 },
];
const REMEDY =
  'SMOKE-0001 and SMOKE-0002 must be for sale and in stock: correct them in the console, or run "npm start -- --fresh".';
const RACERS = 50;

export async function subscribe(walk: Walk): Promise<void> {
  const { api_key, org_id } = walk.organization;
  await walk.step('exchange the API key for a token', async () => {
    const url = `${walk.demo().base_url}/auth/token`;
    const answer = expectStatus(await http(url, { method: 'POST', body: { api_key } }), 200);
    const token = json<{ access_token: string; org_id: string }>(answer);
    expectEqual('org_id', token.org_id, org_id);
    walk.token = token.access_token;
  });
  await walk.step('create a webhook subscription', async () => {
    const answer = expectStatus(await walk.api('POST', '/webhooks', { url: walk.receiver.url }), 201);
    const { id, secret } = json<{ id: string; secret: string }>(answer);
    walk.subscriptionId = id;
    walk.subscriptionSecret = secret;
  });
}

/** Before step 1: products and stock for this walk only, so that it runs on a demo that people have used. */
export async function stockOwnProducts(walk: Walk, access: PlatformAccess): Promise<void> {
  await walk.step('put own products into the catalog, and packs into stock', async () => {
    const platform = await Platform.connect(access);
    const lines = LINES.map(({ p1_id, name, price }) => ({ p1_id, name, price, available: true }));
    await platform.call(importCatalog, { lines }).finally(() => platform.close());
    for (const { p1_id, quantity } of LINES) {
      const about = { p1_id, shop_id: walk.shop.shop_id };
      await expectStock(walk.api('POST', '/products/add-to-inventory', { p1_id }));
      await expectStock(walk.api('POST', '/shops/attach-product', about));
      const received = { p1_id, delta: quantity, reason: 'received' };
      await expectStock(walk.api('POST', '/inventory/adjust', received));
    }
  });
}

async function expectStock(called: Promise<HttpAnswer>): Promise<HttpAnswer> {
  const answer = await called;
  if (answer.status < 300) return answer;
  throw new Error(`${answer.status}: ${answer.body.toString().slice(0, 400)}\n${REMEDY}`);
}

/** Step 1 of the job: a prescription at a shop's domain, with the key in each of its three places. */
export async function handIn(walk: Walk): Promise<void> {
  const key = walk.organization.integration_key;
  const body = {
    external_reference: walk.reference,
    source: 'smoke',
    payload: {
      customer_name: 'Erika Mustermann',
      customer_email: 'erika@example.org',
      prescription_pdf_base64: makePdf(walk.reference).toString('base64'),
      items: LINES,
    },
  };
  const places: { name: string; options: HttpOptions & { query?: string } }[] = [
    { name: 'header apikey', options: { headers: { apikey: key } } },
    { name: 'header X-API-Key', options: { headers: { 'x-api-key': key } } },
    { name: 'query parameter', options: { query: `?apikey=${key}` } },
  ];
  for (const { name, options } of places) {
    await walk.step(`hand in an order request with a PDF, key in ${name}`, async () => {
      const receipt = json<Receipt>(expectStatus(await walk.connector({ ...options, body }), 200));
      expectEqual('status', receipt.status, 'pending');
      expectEqual('external_reference', receipt.external_reference, walk.reference);
      if (walk.requestId) expectEqual('id of a repeat', receipt.id, walk.requestId);
      walk.requestId = receipt.id;
    });
  }
  await walk.step('a wrong key is 401, an unknown domain 404, an empty payload 400', async () => {
    expectStatus(await walk.connector({ body, headers: { apikey: 'ofz_int_wrong' } }), 401);
    expectStatus(await walk.connector({ body, headers: { apikey: walk.other.integration_key } }), 401);
    expectStatus(await walk.connector({ body, domain: 'nobody.localhost', headers: { apikey: key } }), 404);
    expectStatus(await walk.connector({ body: { payload: {} }, headers: { apikey: key } }), 400);
  });
}

interface Receipt {
  id: string;
  status: string;
  external_reference: string | null;
}

interface Inventory {
  data: { p1_id: string; reserved_quantity: number }[];
}

/** Step 2: list, read and approve. */
export async function exchangeAndApprove(walk: Walk): Promise<void> {
  await walk.step('list and read the request', async () => {
    const list = await walk.api('GET', `/order-requests?external_reference=${walk.reference}`);
    const { data } = json<{ data: { id: string }[] }>(expectStatus(list, 200));
    expectEqual(
      'ids',
      data.map(({ id }) => id),
      [walk.requestId],
    );
    const detail = json<{ payload: { items: unknown } }>(
      expectStatus(await walk.api('GET', `/order-requests/${walk.requestId}`), 200),
    );
    expectEqual('lines', detail.payload.items, LINES);
  });
  await walk.step('read the prescription back, byte for byte', async () => {
    const pdf = expectStatus(
      await walk.api('GET', `/order-requests/${walk.requestId}/prescription.pdf`),
      200,
    );
    if (!pdf.body.equals(makePdf(walk.reference))) throw new Error('the PDF is not the one handed in');
  });
  const before = await reserved(walk);
  await walk.step('approve: quantity becomes the order, stock is reserved', async () => {
    const answer = await expectStock(walk.api('POST', `/order-requests/${walk.requestId}/approve`, {}));
    const { order } = json<{ order: { id: string; status: string; items: { quantity: number }[] } }>(answer);
    walk.orderId = order.id;
    expectEqual('status', order.status, 'awaiting_packing');
    expectEqual(
      'quantities',
      order.items.map(({ quantity }) => quantity),
      [2, 1],
    );
    expectEqual('reserved', await reserved(walk), (before ?? 0) + 2);
  });
}

async function reserved(walk: Walk): Promise<number | undefined> {
  const { data } = json<Inventory>(expectStatus(await walk.api('GET', '/inventory?q=SMOKE-0001'), 200));
  return data.find(({ p1_id }) => p1_id === 'SMOKE-0001')?.reserved_quantity;
}

/** Step 3: orders are listed, read, upserted by racers and moved under the workflow. */
export async function moveOrder(walk: Walk): Promise<void> {
  const shop_id = walk.shop.shop_id;
  await walk.step('list and read the order', async () => {
    const list = json<{ data: { id: string }[] }>(
      expectStatus(await walk.api('GET', `/orders?external_id=${walk.reference}`), 200),
    );
    if (!list.data.some(({ id }) => id === walk.orderId)) throw new Error('the order is not in the list');
    const detail = json<{ external_id: string }>(
      expectStatus(await walk.api('GET', `/orders/${walk.orderId}`), 200),
    );
    expectEqual('external_id', detail.external_id, walk.reference);
  });
  await walk.step(`${RACERS} racing upserts of one pair make one order`, async () => {
    const body = (n: number): object => ({
      shop_id,
      external_id: `${walk.reference}-race`,
      customer_name: `Racer ${n}`,
      items: [{ name: 'Salbe', qty: n + 1, price: 1.5 }],
    });
    const answers = await Promise.all(
      Array.from({ length: RACERS }, (_, n) => walk.api('POST', '/orders', body(n))),
    );
    expectEqual('created', answers.filter(({ status }) => status === 201).length, 1);
    expectEqual('updated', answers.filter(({ status }) => status === 200).length, RACERS - 1);
    expectEqual('ids', new Set(answers.map((answer) => json<{ id: string }>(answer).id)).size, 1);
  });
  await walk.step('move the order to shipped; a move back is 409', async () => {
    const path = `/orders/${walk.orderId}/status`;
    const moved = json<{ status: string }>(
      expectStatus(await walk.api('PATCH', path, { status: 'shipped' }), 200),
    );
    expectEqual('status', moved.status, 'shipped');
    const refused = json<{ error: string }>(
      expectStatus(await walk.api('PATCH', path, { status: 'pending' }), 409),
    );
    expectEqual('error', refused.error, 'invalid_transition');
  });
}

/** Step 4: the subscriber has got each event, and a stock library verifies the signatures. */
export async function receiveEvents(walk: Walk): Promise<void> {
  const wanted = [
    { type: 'order_request_submitted', metadata: { order_request_id: walk.requestId } },
    {
      type: 'order_request_approved',
      metadata: { order_request_id: walk.requestId, order_id: walk.orderId },
    },
    { type: 'order_created', metadata: { order_id: walk.orderId } },
    { type: 'order_status_updated', metadata: { order_id: walk.orderId, new_status: 'shipped' } },
  ];
  for (const { type, metadata } of wanted) {
    await walk.step(`receive ${type}, signatures verified`, async () => {
      const { headers, body } = await walk.receiver.waitFor(
        (event) =>
          event.event_type === type &&
          Object.entries(metadata).every(([name, value]) => event.metadata[name] === value),
      );
      const hmac = createHmac('sha256', walk.subscriptionSecret).update(body).digest('hex');
      expectEqual('X-Service-Event', headers['x-service-event'], type);
      expectEqual('X-Service-Signature', headers['x-service-signature'], `sha256=${hmac}`);
      expectEqual('webhook-id', headers['webhook-id'], headers['x-service-delivery-id']);
      new Webhook(walk.subscriptionSecret).verify(body, headers as Record<string, string>);
    });
  }
}

/** Step 5: order-core is killed; after its restart the same reference returns the same id. */
export async function coreOutage(walk: Walk): Promise<void> {
  const key = walk.organization.integration_key;
  const body = { external_reference: `${walk.reference}-2`, payload: { customer_name: 'Max', items: LINES } };
  const headers = { apikey: key };
  const first = json<Receipt>(expectStatus(await walk.connector({ body, headers }), 200));
  // All replicas: one would hide the outage.
  const pids = Object.entries(walk.demo().processes).flatMap(([name, { pid }]) =>
    /^order-core(-\d+)?$/.test(name) && pid !== undefined ? [pid] : [],
  );
  if (pids.length === 0) throw new Error('the demo names no pid of order-core');
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await walk.step(
    'order-core is killed: the connector answers 502 within a second',
    () =>
      eventually('a 502', async () => {
        const answer = await walk.connector({ body, headers });
        if (answer.status !== 502) return null;
        expectEqual('error', json<{ error: string }>(answer).error, 'core_unreachable');
        if (answer.durationMs > 1000) throw new Error(`the 502 took ${answer.durationMs} ms`);
        return answer;
      }),
    (answer) => ` (the answer took ${answer.durationMs.toFixed(1)} ms)`,
  );
  await walk.step('meanwhile a wrong key is 401 and an unknown domain 404', async () => {
    expectStatus(await walk.connector({ body, headers: { apikey: 'ofz_int_wrong' } }), 401);
    expectStatus(await walk.connector({ body, headers, domain: 'nobody.localhost' }), 404);
  });
  await walk.step('order-core comes back: the same reference gives the same id', async () => {
    const again = await eventually(
      'order-core to answer again (it is started again unless --no-restart)',
      async () => {
        const answer = await walk.connector({ body, headers });
        return answer.status === 200 ? json<Receipt>(answer) : null;
      },
      30_000,
    );
    expectEqual('id', again.id, first.id);
    const list = await eventually('the list to answer', async () => {
      const answer = await walk.api('GET', `/order-requests?external_reference=${walk.reference}-2`);
      return answer.status === 200 ? json<{ pagination: { total: number } }>(answer) : null;
    });
    expectEqual('rows', list.pagination.total, 1);
  });
}

/** What one walk knows: the stack, one organization and shop of it, and what the steps found out. */
export class Walk {
  steps = 0;
  token = '';
  subscriptionSecret = '';
  subscriptionId = '';
  requestId = '';
  orderId = '';
  /** New for every walk, so that it can be repeated on the same data. */
  readonly reference = `smoke-${Date.now()}`;
  private readonly startedAt = performance.now();

  private constructor(
    /** Read each time: a process that was started again has another pid. */
    readonly demo: () => DemoFile,
    readonly organization: DemoOrganization,
    readonly other: DemoOrganization,
    readonly shop: DemoShop,
    readonly receiver: WebhookReceiver,
  ) {}

  static async begin(demo: () => DemoFile): Promise<Walk> {
    const [organization, other] = demo().organizations;
    const shop = organization?.shops[0];
    if (!organization || !other || !shop)
      throw new Error('The demo has no two organizations with a shop each.');
    return new Walk(demo, organization, other, shop, await WebhookReceiver.start());
  }

  async end(): Promise<void> {
    if (this.subscriptionId)
      await this.api('DELETE', `/webhooks/${this.subscriptionId}`).catch(() => undefined);
    await this.receiver.close();
  }

  /** Runs one step and prints it with its time; what it resolves with is printed behind. */
  async step<T>(name: string, work: () => Promise<T>, note: (value: T) => string = () => ''): Promise<T> {
    const startedAt = performance.now();
    let value: T;
    try {
      value = await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${name}: ${reason}`, { cause: error });
    }
    this.steps += 1;
    const ms = (performance.now() - startedAt).toFixed(1).padStart(8);
    say(`${ms} ms  ${name}${note(value)}`);
    return value;
  }

  /** A call of the organization API with the walk's token. */
  async api(method: string, path: string, body?: object): Promise<HttpAnswer> {
    const url = `${this.demo().base_url}/api/v2/public/orgs/${this.organization.org_id}${path}`;
    return http(url, { method, body, headers: { authorization: `Bearer ${this.token}` } });
  }

  /** A call of the connector: to its address, with the shop's domain as Host, so that no name must resolve. */
  async connector(options: HttpOptions & { query?: string; domain?: string }): Promise<HttpAnswer> {
    const headers = { host: options.domain ?? this.shop.domain, ...options.headers };
    const url = `${this.demo().shop_url}/api/v1/external-order${options.query ?? ''}`;
    return http(url, { method: 'POST', ...options, headers });
  }

  elapsedMs(): number {
    return performance.now() - this.startedAt;
  }
}

/** Throws unless the answer has the status; with the body, so that the reason is seen. */
function expectStatus(answer: HttpAnswer, status: number): HttpAnswer {
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.body.toString().slice(0, 400)}`);
}

/** Throws unless both are the same JSON. */
function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}
