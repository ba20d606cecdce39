import { eventually } from '@offizin/testkit/eventually';
import type { Bench } from '../bench/bench';
import { type HttpRequest, UNIQUE } from '../bench/load/job';
import { Receiver } from '../bench/load/receiver';
import { edgeRequest, pdfOf, requestBody } from '../bench/rows/order-request-bodies';
import { tenantWithProducts } from '../bench/seed/products';
import { subscribe } from '../bench/seed/subscriptions';
import type { Tenant } from '../bench/seed/tenants';

const CALLERS = 8;
/** Each round takes so many orders through the whole job, so that new rows use the space of old row versions as in service. */
const ROUND_ORDERS = 1_000;
/** A table is vacuumed when a fifth of it is dead. */
const ROUNDS_PER_VACUUM = 2;
const DELIVERED_LIMIT_MS = 120_000;
const AMPLE_STOCK = 100_000_000;
/** Requests differ in their products, so that approvals do not wait for one row of stock. */
const PRODUCT_PAIRS = 25;

/** What happens to each order after its approval. The second sells the stock. */
export const MOVES = ['ready_pickup', 'picked_up', 'completed'] as const;

/**
 * The main job. A partner hands in an order request with a prescription and two lines. A pharmacist reads both, approves
 * with stock, and moves the order to its end. Every event is delivered to one subscription.
 */
export class Workload {
  private constructor(
    private readonly bench: Bench,
    private readonly tenant: Tenant,
    private readonly receiver: Receiver,
    private readonly handedIn: HttpRequest[],
  ) {}

  static async prepare(bench: Bench, pdfKb: number): Promise<Workload> {
    const tenant = await tenantWithProducts(bench);
    await bench.rows(
      'UPDATE catalog.inventory SET stock_quantity = $2 WHERE org_id = $1',
      tenant.orgId,
      AMPLE_STOCK,
    );
    const receiver = await Receiver.start(1);
    await subscribe(bench, tenant, receiver.origins);
    const pdf = pdfOf(pdfKb * 1024);
    const handedIn = Array.from({ length: PRODUCT_PAIRS }, (_, pair) => requestOf(tenant, pair, pdf));
    return new Workload(bench, tenant, receiver, handedIn);
  }

  async run(orders: number, onRound: (done: number) => void): Promise<void> {
    for (let done = 0, round = 1; done < orders; round++) {
      const count = Math.min(ROUND_ORDERS, orders - done);
      await this.round(count);
      done += count;
      if (round % ROUNDS_PER_VACUUM === 0) await this.bench.sql.query('VACUUM (ANALYZE)');
      onRound(done);
    }
    await this.untilDelivered();
  }

  stop(): void {
    this.receiver.stop();
  }

  private async round(count: number): Promise<void> {
    const { bench, tenant } = this;
    const ports = [bench.stack.ports['connector-edge']];
    await bench.load.http({ ports, callers: CALLERS, requests: this.handedIn, count });
    const requestIds = await this.idsOf('order_requests', 'pending');
    await this.gateway(requestIds.map((id) => bench.api(tenant, 'GET', `/order-requests/${id}`)));
    await this.gateway(
      requestIds.map((id) => bench.api(tenant, 'GET', `/order-requests/${id}/prescription.pdf`)),
    );
    await this.gateway(
      requestIds.map((id) => bench.api(tenant, 'POST', `/order-requests/${id}/approve`, {})),
    );
    const orderIds = await this.idsOf('orders', 'awaiting_packing');
    for (const status of MOVES)
      await this.gateway(
        orderIds.map((id) => bench.api(tenant, 'PATCH', `/orders/${id}/status`, { status })),
      );
  }

  private async gateway(requests: HttpRequest[]): Promise<void> {
    await this.bench.gateway(requests, CALLERS)({ count: requests.length });
  }

  private async idsOf(table: 'orders' | 'order_requests', status: string): Promise<string[]> {
    const found = await this.bench.rows<{ id: string }>(
      `SELECT id FROM core.${table} WHERE org_id = $1 AND status = $2`,
      ...[this.tenant.orgId, status],
    );
    return found.map(({ id }) => id);
  }

  /** Until no event waits in an outbox, each is delivered, and every audit entry is sealed. */
  private async untilDelivered(): Promise<void> {
    await eventually(
      'every event to be delivered and every audit entry to be sealed',
      async () => {
        const [left] = await this.bench.rows(
          `SELECT FROM core.outbox UNION ALL SELECT FROM catalog.outbox UNION ALL SELECT FROM webhooks.outbox
           UNION ALL SELECT FROM webhooks.deliveries WHERE status = 'pending'
           UNION ALL SELECT FROM core.audit_log WHERE position > (SELECT max(position) FROM core.audit_seals) LIMIT 1`,
        );
        return !left;
      },
      DELIVERED_LIMIT_MS,
    );
  }
}

function requestOf(tenant: Tenant, pair: number, pdf: string): HttpRequest {
  const products = [1 + 2 * pair, 2 + 2 * pair];
  const payload = {
    customer_name: `Kundin ${UNIQUE}`,
    customer_email: `${UNIQUE}@example.org`,
    shipping_option: 'Abholung',
    items: products.map((n) => ({ p1_id: `BENCH-${n}`, name: `Produkt ${n}`, quantity: 2, price: 8.95 })),
    prescription_pdf_base64: pdf,
  };
  return edgeRequest(tenant, requestBody(UNIQUE, payload));
}
