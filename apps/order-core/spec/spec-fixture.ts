import type { Bus } from '@offizin/bus/bus';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { Operation, ReplyOf } from '@offizin/contracts/calls/operation';
import { orderHistory, type OrderHistoryEntry } from '@offizin/contracts/orders/order-history';
import * as api from '@offizin/contracts/orders/orders';
import { type Role, scopesOfRole } from '@offizin/contracts/people/roles';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { type Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import type { OutboxRelay } from '@offizin/events/outbox-relay';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import { serveInSpec } from '@offizin/operations/serve-in-spec';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { silentRelay as silentRelayOf } from '@offizin/testkit/outbox-stage';
import { DataKeys } from '../crypto/data-keys.store';
import { insertKey } from '../people/directory/keys.store';
import { insertOrganization, insertShop } from '../people/directory/organizations.store';
import { ApprovalHandlers } from '../requests/review/approval.handlers';
import { AddedLines } from '../requests/review/added-lines';
import { FirstApprovals, LiveChanges } from '../requests/review/first-approvals';
import type { OrderPatch } from '../orders/orders/order-patch';
import type { UpsertOrder } from '../orders/orders/orders.store';
import { ProductChecks } from '../requests/intake/product-checks';
import { hashToken } from '../people/staff/session-token';
import { insertSession } from '../people/staff/sessions.store';
import { insertPerson } from '../people/staff/staff.store';
import { OrderBatchesHandlers } from '../orders/orders/order-batches.handlers';
import { OrderWrites } from '../orders/orders/order-writes';
import { OrdersHandlers } from '../orders/orders/orders.handlers';
import { StockHolds } from '../orders/stock/stock-holds';
import { type Holds, StockClaimedOrders } from '../orders/orders/stock-claimed-orders';

export type HandlerTable = readonly (readonly [Operation, OperationHandler])[];

interface SpecRequest {
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  caller?: Caller;
  ifMatch?: string;
  ifNoneMatch?: string;
  answerWithinMs?: number;
}

type Terms = Pick<SpecRequest, 'caller' | 'ifMatch' | 'ifNoneMatch'>;

export interface SpecAnswer<O> {
  status: number;
  body: ReplyOf<O> & Partial<ErrorBody>;
  etag: string | undefined;
  headers: Readonly<Record<string, string>>;
}

/**
 * For specs only: one organization with two shops and a key on a real database, and the service's operations as a call
 * over the bus or by HTTP would run them (parse, validate, handle, serialise), without either. What is appended stays
 * in the outbox, where the specs read it.
 */
export class OrderCoreFixture {
  readonly orgId = newId();
  readonly shopId = newId();
  readonly otherShopId = newId();
  readonly keyId = newId();
  /** By session. */
  private readonly firstUses = new Map<string, () => Promise<void>>();
  private readonly handlers: ReadonlyMap<string, OperationHandler>;

  private constructor(
    readonly database: Database,
    further: HandlerTable,
    holds: Holds,
  ) {
    this.handlers = new Map(
      [...orderHandlers(database, holds), ...further].map(([op, handler]) => [op.name, handler]),
    );
  }

  /** Knows the operations of orders; those of other features come in as `further`, and a catalog as `holds`. */
  static async make(
    database: Database,
    further: HandlerTable = [],
    holds: Holds = NO_CATALOG,
  ): Promise<OrderCoreFixture> {
    const fixture = new OrderCoreFixture(database, further, holds);
    const { orgId, shopId, otherShopId, keyId } = fixture;
    await insertOrganization(database, orgId, 'Apotheke');
    for (const id of [shopId, otherShopId]) {
      await insertShop(database, orgId, { id, name: 'Shop', domain: `${id}.example` });
    }
    const key = { id: keyId, name: 'ERP', kind: 'org', hash: keyId, shopId: null, expiresAt: null } as const;
    await insertKey(database, orgId, { ...key, scopes: [...ALL_SCOPES] });
    return fixture;
  }

  /** The same organization at another replica. */
  replica(holds: Holds): OrderCoreFixture {
    const { orgId, shopId, otherShopId, keyId } = this;
    return Object.assign(new OrderCoreFixture(this.database, [], holds), {
      orgId,
      shopId,
      otherShopId,
      keyId,
    });
  }

  /** The organization's API key, with every scope. */
  key(): Caller {
    const { orgId, keyId: actorId } = this;
    return { kind: 'key', orgId, shopId: null, actorId, scopes: ALL_SCOPES, requestId: 'spec' };
  }

  service(): Caller {
    return { ...this.key(), kind: 'service', orgId: '', actorId: 'catalog', scopes: [] };
  }

  /** A partner on the shop's domain; the key is not looked at but for being live. */
  partner(shopId = this.shopId): Caller {
    return { ...this.key(), kind: 'integration', shopId, scopes: [] };
  }

  /** A partner with an integration key of this name. */
  async integration(name: string, shopId = this.shopId): Promise<Caller> {
    const id = newId();
    const key = { id, name, kind: 'int', hash: id, shopId: null, expiresAt: null } as const;
    await insertKey(this.database, this.orgId, { ...key, scopes: [] });
    return { ...this.partner(shopId), actorId: id };
  }

  /** A person of the organization in the console; the first call stores person and session. */
  staff(role: Role = 'pharmacist', sessionId = newId()): Caller {
    const scopes = scopesOfRole(role);
    const caller: Caller = { ...this.key(), kind: 'staff', actorId: newId(), sessionId, scopes };
    this.firstUses.set(sessionId, () => addPerson(this.database, caller, role));
    return caller;
  }

  /** The same person in a second browser. */
  againSignedIn(caller: Caller): Caller {
    const again = { ...caller, sessionId: newId() };
    this.firstUses.set(again.sessionId, () => addSession(this.database, again));
    return again;
  }

  /** Runs an operation; `body` is what the caller is answered, an error body included. */
  async call<O extends Operation>(op: O, request: SpecRequest = {}): Promise<SpecAnswer<O>> {
    const handler = this.handlers.get(op.name);
    if (!handler) throw new Error(`no handler of ${op.name}`);
    const caller = request.caller ?? this.usualCaller(op);
    await this.firstUse(caller);
    const answer = await serveInSpec(op, handler, {
      caller,
      params: request.params ?? {},
      queryString: request.query ?? '',
      headers: {
        ...(request.ifMatch !== undefined && { 'if-match': request.ifMatch }),
        ...(request.ifNoneMatch !== undefined && { 'if-none-match': request.ifNoneMatch }),
      },
      body: request.body,
      ...(request.answerWithinMs !== undefined && { answerWithinMs: request.answerWithinMs }),
    });
    // 204 has no body.
    const text = Buffer.from(answer.body).toString() || '{}';
    const body = JSON.parse(text) as SpecAnswer<O>['body'];
    return { status: answer.status, body, etag: answer.headers['etag'], headers: answer.headers };
  }

  /** At the first shop, unless `fields` name the other. */
  upsert(
    externalId: string,
    fields: object = {},
    terms: Terms = {},
  ): Promise<SpecAnswer<typeof api.upsertOrder>> {
    const body = { shop_id: this.shopId, external_id: externalId, ...fields };
    return this.call(api.upsertOrder, { body, ...terms });
  }

  update(orderId: string, body: object, terms: Terms = {}): Promise<SpecAnswer<typeof api.updateOrder>> {
    return this.call(api.updateOrder, { params: { orderId }, body, ...terms });
  }

  patch(orderId: string, body: object, terms: Terms = {}): Promise<SpecAnswer<typeof api.patchOrderStatus>> {
    return this.call(api.patchOrderStatus, { params: { orderId }, body, ...terms });
  }

  async order(orderId: string): Promise<SpecAnswer<typeof api.getOrder>['body']> {
    return (await this.call(api.getOrder, { params: { orderId } })).body;
  }

  /** Entries of the audit log about an object, such as `order:<id>`, and about what is named below it, oldest first. */
  async auditOf(object: string): Promise<SpecAuditEntry[]> {
    return this.database.rows(auditOfObject, object);
  }

  async actionsOn(object: string): Promise<string[]> {
    return (await this.auditOf(object)).map(({ action }) => action);
  }

  async historyOf(orderId: string): Promise<OrderHistoryEntry[]> {
    return (await this.call(orderHistory, { params: { orderId } })).body.data;
  }

  /** Events of one object, in the order of appending. */
  async eventsOf(aggregateId: string): Promise<SpecEvent[]> {
    const rows = await this.database.rows(eventsOfObject, aggregateId);
    return rows.map(({ body, ...row }) => ({
      ...row,
      metadata: (JSON.parse(body) as Pick<SpecEvent, 'metadata'>).metadata,
    }));
  }

  /** One of the upserts of a statement. */
  upsertMember(externalId: string, patch: OrderPatch = {}, further: Partial<UpsertOrder> = {}): UpsertOrder {
    const { orgId, shopId, keyId } = this;
    const ids = { id: newId(), eventId: newId(), orgId, shopId, externalId };
    const by = {
      actor: keyId,
      credential: { keyId, sessionId: null },
      audit: { actor: keyId, requestId: 'spec' },
      traceparent: null,
    };
    return { ...ids, patch, ...by, ...further };
  }

  /** Of all orders of the database, whose kept summary is another than the list would make; it has to be none. */
  async falseSummaries(): Promise<FalseSummary[]> {
    return this.database.rows(falseSummaries);
  }

  /** Calls at the same time wait for one first use. */
  private async firstUse({ sessionId = '' }: Caller): Promise<void> {
    const running = this.firstUses.get(sessionId)?.();
    if (running) this.firstUses.set(sessionId, () => running);
    await running;
  }

  private usualCaller(op: Operation): Caller {
    if (op.access === 'internal') return this.service();
    return op.access === 'connector' ? this.partner() : this.key();
  }
}

/** With a live session, without password or link. */
async function addPerson(database: Database, caller: Caller, role: Role): Promise<void> {
  const { actorId: id, orgId } = caller;
  const person = { id, org_id: orgId, email: `${id}@example.org`, name: role, role };
  await insertPerson(database, person);
  await addSession(database, caller);
}

async function addSession(database: Database, caller: Caller): Promise<void> {
  const { actorId, orgId, sessionId: id = newId() } = caller;
  const session = { id, staffId: actorId, orgId, hash: hashToken(id), hours: 12, idleSeconds: 1_800 };
  const made = { madeBy: 'password', isConfirmed: true } as const;
  await insertSession(database, { ...session, ...made });
}

export interface SpecEvent {
  event_type: string;
  sequence: number;
  topic: string;
  metadata: Record<string, unknown>;
}

export interface SpecAuditEntry {
  actor: string;
  action: string;
  object: string;
}

const auditOfObject = statement<SpecAuditEntry, [string]>(
  'spec_audit_of_object',
  `SELECT actor, action, object FROM core.audit_log WHERE object = $1 OR object LIKE $1 || ':%' ORDER BY position`,
);

const eventsOfObject = statement<Omit<SpecEvent, 'metadata'> & { body: string }, [string]>(
  'spec_events',
  `SELECT event_type, sequence, topic, body FROM core.outbox WHERE aggregate_id = $1 ORDER BY position`,
);

export interface FalseSummary {
  summary: string;
  made: string;
}

/** Orders whose item of the list, which a trigger stores as text (db/0001-schema.sql), is not that of their columns. */
const falseSummaries = statement<FalseSummary, []>(
  'spec_false_summaries',
  `SELECT o.summary, computed.made::text AS made FROM core.orders o, LATERAL (
     SELECT jsonb_build_object('id', o.id, 'external_id', o.external_id, 'status', o.status, 'shop_id', o.shop_id,
         'customer_name', o.customer_name, 'total_amount', o.total_amount, 'payment_status', o.payment_status,
         'created_at', core.iso(o.created_at), 'updated_at', core.iso(o.updated_at), 'erased_at', core.iso(o.erased_at))
       || CASE WHEN o.is_test THEN '{"test": true}' ELSE '{}' END::jsonb AS made
   ) computed
   WHERE o.summary::jsonb IS DISTINCT FROM computed.made`,
);

/** Approval as order-core wires it. */
export function approvalHandlers(database: Database, bus: Bus, dataKeys: DataKeys): ApprovalHandlers {
  const changes = new LiveChanges(bus.connection);
  const products = new ProductChecks(bus);
  const firstApprovals = new FirstApprovals(database, dataKeys, products, changes);
  return new ApprovalHandlers(
    database,
    new StockHolds(bus),
    silentRelay(),
    dataKeys,
    firstApprovals,
    products,
  );
}

/** Where no gateway listens. */
export const silentChanges = () => new LiveChanges({ isClosed: () => true, publish: () => undefined });

export const silentRelay = (): OutboxRelay => silentRelayOf('core');

const noCatalog = (): Promise<never> => Promise.reject(new Error('there is no catalog in this spec'));
export const NO_CATALOG: Holds = { hold: noCatalog, release: noCatalog };

/** Without a catalog every product is unknown. */
export const NO_PRODUCTS = { productsOf: () => Promise.resolve([]) };

export function orderHandlers(
  database: Database,
  holds: Holds = NO_CATALOG,
  products: Pick<ProductChecks, 'productsOf'> = NO_PRODUCTS,
): HandlerTable {
  const relay = silentRelay();
  const dataKeys = new DataKeys(database, [Buffer.alloc(32, 1)]);
  const stocked = new StockClaimedOrders(database, holds, dataKeys);
  const writes = new OrderWrites(database, relay, stocked, new AddedLines(database, products), dataKeys);
  const orders = new OrdersHandlers(database, relay, stocked, writes, dataKeys);
  return handlersIn(orders, new OrderBatchesHandlers(writes));
}
