import { v7 as uuidv7 } from 'uuid';
import { importCatalog } from '@offizin/contracts/products/catalog-import';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { addToInventory } from '@offizin/contracts/products/inventory';
import type { Operation, ReplyOf } from '@offizin/contracts/calls/operation';
import { type ReserveBody, reserveStock } from '@offizin/contracts/products/reservations';
import type { FourEyesRule } from '@offizin/contracts/requests/review-settings';
import { type Role, scopesOfRole } from '@offizin/contracts/people/roles';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import type { ShopRecord } from '@offizin/directory/records';
import { type Database, statement } from '@offizin/pg/database';
import { specDatabase } from '@offizin/testkit/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { silentRelay } from '@offizin/testkit/outbox-stage';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import { serveInSpec } from '@offizin/operations/serve-in-spec';
import { AssortmentHandlers } from '../assortment/assortment.handlers';
import { CatalogProductsHandlers } from '../catalog-products/catalog-products.handlers';
import { catalogSchema } from '../db/schema';
import { InventoryHandlers } from '../inventory/inventory.handlers';
import { StockListHandlers } from '../inventory/stock-list.handlers';
import { OrderEvents, OrderEventsHandlers } from '../order-events/order-events.handlers';
import { FourEyesGuard } from '../products/four-eyes';
import { ProductsHandlers } from '../products/products.handlers';
import { ReservationsHandlers } from '../reservations/reservations.handlers';
import { ShopProductsHandlers } from '../shop-products/shop-products.handlers';
import { ShopDirectory, type ShopRecords, ShopsHandlers } from '../shops/shops.handlers';

const AT_ONCE = 20;

/**
 * For specs only: one organization with two shops on a real database, and the operations of the service (parse,
 * validate, handle, serialise) without the bus.
 */
export class CatalogFixture {
  readonly orgId = uuidv7();
  readonly shopId = uuidv7();
  readonly otherShopId = uuidv7();
  readonly orderEvents: OrderEvents;
  /** What the review settings of the organization say. */
  fourEyes: FourEyesRule = { four_eyes: 'off', four_eyes_categories: [] };
  private readonly handlers: ReadonlyMap<string, OperationHandler>;

  constructor(readonly database: Database) {
    const relay = silentRelay('catalog');
    const shops = new ShopDirectory(recordsOf(this.orgId, [this.shopId, this.otherShopId]));
    this.orderEvents = new OrderEvents(database, () => relay.wake());
    const fourEyes = new FourEyesGuard(() => Promise.resolve(this.fourEyes));
    const handlers = handlersIn(
      new ShopsHandlers(shops),
      new ProductsHandlers(database, relay, shops, fourEyes),
      new ShopProductsHandlers(database, relay, shops, fourEyes),
      new InventoryHandlers(database, relay),
      new StockListHandlers(database, relay),
      new AssortmentHandlers(database, shops),
      new CatalogProductsHandlers(database),
      new ReservationsHandlers(database),
      new OrderEventsHandlers(database),
    );
    this.handlers = new Map(handlers.map(([op, handler]) => [op.name, handler]));
  }

  /** Runs an operation; `body` is the answer, or the error body. */
  async call<O extends Operation>(
    op: O,
    request: { params?: Record<string, string>; query?: string; body?: unknown; caller?: Caller } = {},
  ): Promise<{ status: number; body: ReplyOf<O> }> {
    const handler = this.handlers.get(op.name);
    if (!handler) throw new Error(`no handler of ${op.name}`);
    const answer = await serveInSpec(op, handler, {
      caller: request.caller ?? this.callerOf(op),
      params: request.params ?? {},
      queryString: request.query ?? '',
      headers: {},
      body: request.body,
    });
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) as ReplyOf<O> };
  }

  private callerOf({ access, consoleOnly }: Operation): Caller {
    if (access === 'internal') return this.service();
    return consoleOnly ? this.staff('owner') : this.key();
  }

  /** An API key of the organization with every scope. */
  key(orgId = this.orgId): Caller {
    return { kind: 'key', orgId, shopId: null, actorId: 'key-1', scopes: ALL_SCOPES, requestId: 'spec' };
  }

  /** A person in the console. */
  staff(role: Role): Caller {
    return { ...this.key(), kind: 'staff', actorId: 'staff-1', scopes: scopesOfRole(role) };
  }

  service(): Caller {
    return { ...this.key(), kind: 'service', orgId: '', actorId: 'order-core', scopes: [] };
  }

  /** Creates a catalog product; returns its id. */
  async product(values: Record<string, unknown> = {}): Promise<string> {
    const line = { p1_id: `p1-${uuidv7()}`, name: 'Blüte 22/1', category: 'Blüten', price: 9.5, ...values };
    const { body } = await this.call(importCatalog, { body: { lines: [line] } });
    if (body.refused[0]) throw new Error(body.refused[0].reason);
    return line.p1_id;
  }

  /** Creates a product with this stock; returns its id. */
  async stocked(pieces: number, values: Record<string, unknown> = {}): Promise<string> {
    const p1_id = await this.product(values);
    const { status } = await this.call(addToInventory, { body: { p1_id, initial_stock: pieces } });
    if (status !== 201) throw new Error(`add-to-inventory answered ${status}`);
    return p1_id;
  }

  /**
   * Creates many products with this stock; returns their ids. A few at a time: hundreds together wait longer for a
   * connection than a call may take on a busy machine.
   */
  async stockedMany(count: number, pieces: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const next = Math.min(AT_ONCE, count - ids.length);
      ids.push(...(await Promise.all(Array.from({ length: next }, () => this.stocked(pieces)))));
    }
    return ids;
  }

  async reserve(
    orderRequestId: string,
    attempt: number,
    quantities: Record<string, number>,
    replaced: Pick<ReserveBody, 'order_id' | 'replaces' | 'ended_as'> = {},
  ) {
    const lines = Object.entries(quantities).map(([p1_id, quantity]) => ({ p1_id, quantity }));
    const body = { org_id: this.orgId, order_request_id: orderRequestId, attempt, lines, ...replaced };
    return this.call(reserveStock, { body });
  }

  /** Stock of a product, and the sums of its log and of its reservations. */
  async stockOf(p1Id: string): Promise<StockSums> {
    const [row] = await this.database.rows(stockSums, this.orgId, p1Id);
    if (!row) throw new Error(`${p1Id} is not in the inventory`);
    return row;
  }

  /** Events in the outbox that name the product, in the order of appending. */
  async eventsOf(p1Id: string): Promise<{ event_type: string; sequence: number; aggregate_id: string }[]> {
    return this.database.rows(eventsOfProduct, this.orgId, p1Id);
  }
}

/**
 * For specs only: one database per file. `take` receives a new organization before each test, or before the first one
 * if `isShared`.
 */
export function catalogSpec(
  take: (shop: CatalogFixture) => void,
  { isShared = false } = {},
): { readonly database: Database } {
  const test = specDatabase(catalogSchema);
  const make = (): void => take(new CatalogFixture(test.database));
  if (isShared) beforeAll(make);
  else beforeEach(make);
  return test;
}

/** An event of an order as order-core publishes it. */
export function orderEvent(
  eventType: 'order_created' | 'order_updated' | 'order_status_updated',
  sequence: number,
  metadata: Record<string, unknown>,
): OutboxEvent {
  const id = uuidv7();
  const orgId = uuidv7();
  const body = JSON.stringify({ id, org_id: orgId, event_type: eventType, metadata });
  return { id, orgId, eventType, aggregateId: String(metadata['order_id']), sequence, body, topic: 'stock' };
}

interface StockSums {
  stock: number;
  reserved: number;
  log_sum: number;
  log_entries: number;
  last_entry: number;
  held_by_reservations: number;
}

const stockSums = statement<StockSums, [string, string]>(
  'spec_stock_sums',
  `SELECT i.stock_quantity AS stock, i.reserved_quantity AS reserved, i.log_entries,
     coalesce((SELECT sum(delta) FROM catalog.stock_log l
       WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id), 0)::int AS log_sum,
     coalesce((SELECT max(entry_number) FROM catalog.stock_log l
       WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id), 0)::int AS last_entry,
     coalesce((SELECT sum(quantity) FROM catalog.reservation_lines JOIN catalog.reservations r
       USING (order_request_id) WHERE r.org_id = i.org_id AND p1_id = i.p1_id
         AND state IN ('held', 'confirmed')), 0)::int AS held_by_reservations
   FROM catalog.inventory i WHERE i.org_id = $1 AND i.p1_id = $2`,
);

const eventsOfProduct = statement<
  { event_type: string; sequence: number; aggregate_id: string },
  [string, string]
>(
  'spec_events_of_product',
  `SELECT event_type, sequence, aggregate_id FROM catalog.outbox
   WHERE org_id = $1 AND body::json->'metadata'->>'p1_id' = $2 ORDER BY position`,
);

function recordsOf(orgId: string, shopIds: string[]): ShopRecords {
  const records = shopIds.map((shop_id, place): ShopRecord => {
    const name = `Shop ${place + 1}`;
    return { type: 'shop', shop_id, org_id: orgId, name, domain: `shop-${place}.localhost`, is_active: true };
  });
  const of = (requested: string) => records.filter((record) => record.org_id === requested);
  return {
    shop: (requested, shopId) => of(requested).find((record) => record.shop_id === shopId) ?? null,
    shopsOf: of,
    checkSynchronized: () => Promise.resolve(),
  };
}
