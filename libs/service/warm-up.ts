import { type Caller, WARM_UP_ORG_ID } from '@offizin/contracts/calls/caller';
import type { Operation, ServiceName } from '@offizin/contracts/calls/operation';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import {
  type AroundCall,
  type OperationHandler,
  type ReceivedCall,
  serveOperation,
} from '@offizin/operations/serve-operation';
import { errorFields, log } from '@offizin/runtime/log';
import { newRequestId } from '@offizin/runtime/request-id';
import { adjustInventory, listInventory } from '@offizin/contracts/products/inventory';
import {
  approveOrderRequest,
  getOrderRequest,
  listOrderRequests,
} from '@offizin/contracts/requests/order-request-review';
import { submitExternalOrder, submitOrderRequest } from '@offizin/contracts/requests/order-requests';
import { getOrder, listOrders, patchOrderStatus, upsertOrder } from '@offizin/contracts/orders/orders';
import { listProducts } from '@offizin/contracts/products/products';
import { listWebhooks } from '@offizin/contracts/webhooks/webhooks';

/** Halves the p99 of the first calls. V8 compiles a request fully after about 1,600, too many for a start. */
const ROUNDS = 100;
const WARM_UP_LIMIT_MS = 1_500;

/** With it no span of the call is recorded. */
const UNSAMPLED = `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`;

interface WarmUp {
  service: ServiceName;
  handlerOf: (op: Operation) => OperationHandler | null;
  around: AroundCall;
  limitMs?: number;
}

/**
 * Calls the service's own operations before it accepts calls: code that has not run yet is slow, and each
 * connection prepares its statements. Neither a failure nor a hanging call stops the start.
 */
export async function warmUp({ service, limitMs = WARM_UP_LIMIT_MS, ...handling }: WarmUp): Promise<void> {
  const startedAtMs = performance.now();
  const calls = callsOf(service, handling);
  let rounds = 0;
  let isOver = false;
  const repeat = async (): Promise<void> => {
    for (; rounds < ROUNDS && !isOver; rounds++) await Promise.all(calls.map((call) => call()));
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  try {
    await Promise.race([repeat(), limit]);
    log.info({ app: service, rounds, ms: Math.round(performance.now() - startedAtMs) }, 'warmed up');
  } catch (error) {
    log.warn({ app: service, rounds, ...errorFields(error) }, 'warm-up failed');
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

function callsOf(
  service: ServiceName,
  { handlerOf, around }: Pick<WarmUp, 'handlerOf' | 'around'>,
): (() => Promise<void>)[] {
  return WARM_UP_CALLS.filter(({ op }) => op.service === service).map(({ op, body, ...call }) => {
    const received: ReceivedCall = {
      caller: callerOf(op),
      params: {},
      queryString: '',
      headers: {},
      traceparent: UNSAMPLED,
      ...call,
      body: Buffer.from(body ? JSON.stringify(body) : ''),
    };
    return async () => {
      const handler = handlerOf(op);
      if (!handler) throw new Error(`no handler for ${op.name}`);
      const { status } = await serveOperation(op, handler, received, around);
      if (status >= 500) throw new Error(`${op.name} answered ${status}`);
    };
  });
}

function callerOf({ access }: Operation): Caller {
  const known = { orgId: WARM_UP_ORG_ID, actorId: WARM_UP_ORG_ID, requestId: newRequestId() };
  if (access === 'connector') return { kind: 'integration', shopId: WARM_UP_ORG_ID, scopes: [], ...known };
  return { kind: 'key', shopId: null, scopes: ALL_SCOPES, ...known };
}

/**
 * Valid in form, for an organization that does not exist: the call finds nothing and writes nothing. An operation that
 * writes for an unknown organization must not be added.
 */
interface WarmUpCall {
  op: Operation;
  params?: Record<string, string>;
  queryString?: string;
  body?: object;
}

const NO_ID = WARM_UP_ORG_ID;
const CUSTOMER = {
  customer_name: 'Erika Mustermann',
  address_street: 'Hauptstraße 1',
  address_city: 'Köln',
  address_postal_code: '50667',
};
const LINES = [1, 2, 3].map((n) => ({ p1_id: `warm-up-${n}`, name: `Artikel ${n}`, price: 4.95 }));
const UPSERT = {
  shop_id: NO_ID,
  external_id: 'warm-up',
  order_number: 'warm-up',
  ...CUSTOMER,
  items: LINES.map((line) => ({ ...line, qty: 1 })),
};
const REQUEST = {
  source: 'warm-up',
  external_reference: 'warm-up',
  payload: { shop_id: NO_ID, ...CUSTOMER, items: LINES.map((line) => ({ ...line, quantity: 1 })) },
};

/** The most frequent calls. Only operations that refuse or read for an unknown organization may be here. */
export const WARM_UP_CALLS: readonly WarmUpCall[] = [
  { op: upsertOrder, body: UPSERT },
  { op: patchOrderStatus, params: { orderId: NO_ID }, body: { payment_status: 'paid' } },
  { op: listOrders, queryString: 'limit=50' },
  { op: getOrder, params: { orderId: NO_ID } },
  { op: submitOrderRequest, body: REQUEST },
  { op: submitExternalOrder, body: REQUEST },
  { op: listOrderRequests, queryString: 'limit=50' },
  { op: getOrderRequest, params: { requestId: NO_ID } },
  { op: approveOrderRequest, params: { requestId: NO_ID }, body: {} },
  { op: listProducts, queryString: `shop_id=${NO_ID}&limit=50` },
  { op: listInventory, queryString: 'limit=50' },
  { op: adjustInventory, body: { p1_id: 'warm-up', delta: 1, reason: 'received' } },
  { op: listWebhooks },
];
