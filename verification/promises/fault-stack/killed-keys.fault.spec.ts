import { Client } from 'pg';
import { takesIdempotencyKey } from '@offizin/contracts/calls/idempotency';
import type { Operation } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import type { AppProcess } from '@offizin/local-stack/apps';
import { auditedCall, everythingEntered } from '@offizin/testkit/audit-cases';
import { CutOffCalls, HeldWrites } from '@offizin/testkit/calls-in-flight';
import { race, untilAnswered } from '@offizin/testkit/race';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { rowOf } from '@offizin/testkit/operation-call';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type Ids, type OwnThings, thingsOf } from '@offizin/testkit/organization-things';
import type { OwnStack } from '@offizin/testkit/own-stack';
import { uniqueTag } from '@offizin/testkit/platform';
import { BURST } from '@offizin/testkit/test-run';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Every operation that takes an Idempotency-Key is called, and its service is killed where the answer is noted; its
 * caller repeats until it is answered. The tests walk the list of operations.
 */
export function killedKeys(faultStack: () => OwnStack): void {
  const SCHEMAS = { 'order-core': 'core', catalog: 'catalog', 'webhook-worker': 'webhooks' } as const;
  type Service = keyof typeof SCHEMAS;
  const SERVICES = Object.keys(SCHEMAS) as Service[];
  /** A service starts within seconds; a call that had begun before it died must not block for longer. */
  const ANSWERED_WITHIN_MS = 30_000;
  /** Calls that wait in the database concurrently: fewer than a service has connections. */
  const KILLED_AT_ONCE = 10;

  let ownStack: OwnStack;
  let receiver: WebhookReceiver;
  let admin: Client;
  let notes: HeldWrites;
  let bystander: OwnThings;
  let bystanderIds: Ids;

  beforeAll(async () => {
    ownStack = faultStack();
    receiver = await WebhookReceiver.start();
    admin = new Client({ connectionString: ownStack.stack.adminDatabaseUrl });
    await admin.connect();
    const tables = Object.values(SCHEMAS).map((schema) => `${schema}.idempotency_keys`);
    notes = await HeldWrites.of(admin, tables, `new.status = 'done'`);
    bystander = await newOwner();
    bystanderIds = await thingsOf(bystander);
  }, 90_000);
  afterAll(async () => {
    await admin.end();
    await receiver.close();
  }, 60_000);

  async function newOwner(): Promise<OwnThings> {
    const { platform } = ownStack;
    return { platform, organization: await platform.organization(), receiverUrl: receiver.url };
  }

  /** Kills the service while all the calls are noting their answers: what they have sent by then never arrives. */
  async function killedAtTheNote(service: Service, calls: CutOffCalls): Promise<void> {
    await notes.hold();
    calls.sendAll();
    const allWait = async () => (await notes.waiting()) === calls.count;
    await eventually('all of them to note their answers', allWait, 30_000).finally(() => calls.killing());
    await killed(service);
    await notes.drop();
    await started(service);
  }

  async function killed(service: Service): Promise<void> {
    ownStack.stack.apps[service].kill('SIGKILL');
    expect(await ownStack.stack.apps[service].exited(5_000)).toBe(true);
  }

  async function started(service: Service): Promise<void> {
    await ownStack.stack.apps[service].start();
    await ownStack.stack.apps[service].ready();
  }

  async function entriesOf(requestId: string): Promise<number> {
    const { rowCount } = await admin.query('SELECT FROM core.audit_log WHERE request_id = $1', [requestId]);
    return rowCount ?? 0;
  }

  type Send = (headers: Record<string, string>) => Promise<HttpAnswer>;
  type Case = [name: string, op: Operation, prepare: (made: OwnThings) => Promise<Send>];

  /** With the setting `stock_follows_orders`: reserve, commit, confirm over two services. */
  async function stockedUpsert({ platform, organization }: OwnThings): Promise<Send> {
    await organization.api('PUT', '/settings/stock', { stock_follows_orders: true });
    const items = [{ p1_id: await platform.stockedProduct(organization, 5), qty: 2, price: 1 }];
    const body = { shop_id: organization.shops[0].shopId, external_id: uniqueTag(), items };
    return (headers) => organization.api('POST', '/orders', body, headers);
  }

  function casesOf(service: Service): Case[] {
    const mine = operations.filter((op) => op.service === service && takesIdempotencyKey(op));
    const cases = mine.map((op): Case => [
      op.name,
      op,
      async (made) => (await auditedCall(op, made, await thingsOf(made))).send,
    ]);
    const upsert = mine.find(({ name }) => name === 'orders.upsert');
    return upsert ? [...cases, ['orders.upsert that the stock follows', upsert, stockedUpsert]] : cases;
  }

  /** A secret is in the first answer only. */
  function withoutSecrets(answer: HttpAnswer): object {
    const { api_key: _apiKey, secret: _secret, ...rest } = json(answer);
    return rest;
  }

  interface FirstAnswer {
    requestId: string;
    answer: HttpAnswer;
    repeat: () => Promise<HttpAnswer>;
  }

  describe.each(SERVICES)('%s dies where it notes the answers', (service) => {
    const cases = casesOf(service);
    const answered = new Map<string, FirstAnswer>();

    const firstAnswerOf = (name: string): FirstAnswer => {
      const found = answered.get(name);
      if (!found) throw new Error(`${name} was not answered`);
      return found;
    };

    beforeAll(async () => {
      const prepared = await Promise.all(
        cases.map(async ([name, , prepare]) => {
          const send = await prepare(await newOwner());
          const requestId = `killed-${uniqueTag()}`;
          const headers = { 'x-request-id': requestId, 'idempotency-key': uniqueTag() };
          return { name, requestId, repeat: () => send(headers) };
        }),
      );
      for (let from = 0; from < prepared.length; from += KILLED_AT_ONCE) {
        const group = prepared.slice(from, from + KILLED_AT_ONCE);
        await killedAtTheNote(service, new CutOffCalls(group.map(({ repeat }) => repeat)));
        await Promise.all(
          group.map(async ({ name, ...call }) => {
            const answer = await untilAnswered(call.repeat, ANSWERED_WITHIN_MS);
            answered.set(name, { ...call, answer });
          }),
        );
      }
      await everythingEntered(bystander, bystanderIds, entriesOf);
    }, 120_000);

    it.each(cases)('%s takes effect once, and is answered as if nothing had happened', async (name, op) => {
      const { answer, requestId, repeat } = firstAnswerOf(name);
      expect(answer.status).toBe(rowOf(op).fine);
      expect(await entriesOf(requestId)).toBe(1);
      const again = await repeat();
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect([again.status, withoutSecrets(again)]).toEqual([answer.status, withoutSecrets(answer)]);
    });

    it('the answers stay stored when it dies once more', async () => {
      await killed(service);
      await started(service);
      for (const [name] of cases) {
        const { answer, requestId, repeat } = firstAnswerOf(name);
        const again = await untilAnswered(repeat, ANSWERED_WITHIN_MS);
        expect([name, again.headers['idempotent-replayed']]).toEqual([name, 'true']);
        expect(withoutSecrets(again)).toEqual(withoutSecrets(answer));
        expect([name, await entriesOf(requestId)]).toEqual([name, 1]);
      }
    }, 60_000);
  });

  it('a test shop decides each request once, though order-core dies in the middle of a decision', async () => {
    const { organization } = await newOwner();
    const shop = { name: 'Test', domain: `test.${organization.shops[0].domain}`, is_test: true };
    const { shop_id } = json(await organization.api('POST', '/shops', shop));
    const decisions = await HeldWrites.of(admin, ['core.order_requests'], 'new.status <> old.status');
    await decisions.hold();
    for (const begin of ['approve-', 'reject-', 'ask-']) {
      const request = orderRequest({ shop_id }, { external_reference: `${begin}${uniqueTag()}` });
      expect((await organization.api('POST', '/order-requests', request)).status).toBe(200);
    }
    await eventually('a decision to be written', async () => (await decisions.waiting()) > 0, 30_000);
    await killed('order-core');
    await decisions.drop();
    await started('order-core');
    const made = `SELECT action, count(*)::int AS times FROM core.audit_log
      WHERE org_id = $1 AND actor = 'service:test' GROUP BY 1 ORDER BY 1`;
    const rows = await eventually(
      'all to be decided',
      async () => {
        const found = await admin.query<{ action: string; times: number }>(made, [organization.orgId]);
        return found.rows.length === 3 && found.rows;
      },
      30_000,
    );
    expect(rows.map(({ action, times }) => [action, times])).toEqual([
      ['order-request.approve', 1],
      ['order-request.reject', 1],
      ['order-request.request-clarification', 1],
    ]);
  }, 90_000);

  describe('equal concurrent requests, to two replicas of which one is killed among them', () => {
    let organization: TestOrganization;
    const replicas: AppProcess[] = [];

    beforeAll(async () => {
      organization = await ownStack.platform.organization();
      for (const service of ['catalog', 'order-core'] as const)
        replicas.push((await ownStack.stack.addReplica(service)).process);
    }, 60_000);
    afterAll(async () => {
      for (const replica of replicas) await replica.stop();
    }, 60_000);

    /** Resolves with the answers, when each has been repeated until it was answered. */
    async function raced(service: Service, path: string, body: object, key: string): Promise<HttpAnswer[]> {
      const send = () => organization.api('POST', path, body, { 'idempotency-key': key });
      const racing = race(BURST, send, ANSWERED_WITHIN_MS);
      await eventually('the first to run', async () => {
        const table = `${SCHEMAS[service]}.idempotency_keys`;
        return (await admin.query(`SELECT FROM ${table} WHERE key = $1`, [key])).rowCount === 1;
      });
      await killed(service);
      await started(service);
      return racing;
    }

    it('an adjustment of the stock without reference takes effect once', async () => {
      const p1_id = await ownStack.platform.stockedProduct(organization, 5);
      const body = { p1_id, delta: 1, reason: 'received' };
      const answers = await raced('catalog', '/inventory/adjust', body, uniqueTag());
      const stocks = answers.map((answer) => json(answer)['stock_quantity']);
      expect([...new Set(stocks)]).toEqual([6]);
    }, 60_000);

    /** 200 calls, each under its own key, of which some share the transaction that dies with a replica. */
    async function sharedAndKilled(path: string, bodyOf: (place: number) => object): Promise<HttpAnswer[]> {
      const keys = Array.from({ length: 200 }, () => uniqueTag());
      const send = (place: number) =>
        organization.api('POST', path, bodyOf(place), { 'idempotency-key': keys[place] ?? '' });
      await notes.hold();
      const racing = race(keys.length, send, ANSWERED_WITHIN_MS);
      await eventually('some to note their answers', async () => (await notes.waiting()) > 0);
      await killed('catalog');
      await notes.drop();
      await started('catalog');
      const answers = await racing;
      expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
      const repeated = await race(keys.length, send, ANSWERED_WITHIN_MS);
      expect(repeated.map(({ headers }) => headers['idempotent-replayed'])).toEqual(keys.map(() => 'true'));
      return answers;
    }

    it('200 adjustments of one product, which share transactions, take effect once each', async () => {
      const p1_id = await ownStack.platform.stockedProduct(organization, 5);
      const adjustment = { p1_id, delta: 1, reason: 'received' };
      const answers = await sharedAndKilled('/inventory/adjust', () => adjustment);
      const stocks = answers.map((answer) => Number(json(answer)['stock_quantity']));
      expect(stocks.sort((one, other) => one - other)).toEqual(answers.map((_, place) => 6 + place));
      const log = 'SELECT FROM catalog.stock_log WHERE p1_id = $1';
      expect((await admin.query(log, [p1_id])).rowCount).toBe(answers.length + 1);
    }, 90_000);

    it('200 merges into the overrides of one product, which share transactions, are all kept', async () => {
      const p1_id = await ownStack.platform.stockedProduct(organization, 5);
      const { shopId: shop_id } = organization.shops[0];
      await organization.api('POST', '/shops/attach-product', { shop_id, p1_id });
      const answers = await sharedAndKilled('/shops/product-overrides', (place) => {
        return { shop_id, p1_id, mode: 'merge', overrides: { own: { [`key${place}`]: place } } };
      });
      const sequence = 'SELECT overrides, event_sequence FROM catalog.shop_products WHERE p1_id = $1';
      const { rows } = await admin.query<{ overrides: { own: object } }>(sequence, [p1_id]);
      expect(rows).toEqual([
        { overrides: { own: expect.any(Object) as object }, event_sequence: answers.length + 1 },
      ]);
      expect(Object.keys(rows[0]?.overrides.own ?? {})).toHaveLength(answers.length);
    }, 90_000);

    it('one API key is made, all answers name it, and at most one shows it', async () => {
      const body = { name: 'ERP', kind: 'org', scopes: ['orders.read'] };
      const keys = async (): Promise<number> =>
        json<{ data: unknown[] }>(await organization.api('GET', '/api-keys')).data.length;
      const before = await keys();
      const answers = await raced('order-core', '/api-keys', body, uniqueTag());
      expect(new Set(answers.map((answer) => json(answer)['id'])).size).toBe(1);
      const shown = answers.map((answer) => json(answer)['api_key']).filter((apiKey) => apiKey !== null);
      expect(shown.length).toBeLessThanOrEqual(1);
      expect(await keys()).toBe(before + 1);
    }, 60_000);
  });
}
