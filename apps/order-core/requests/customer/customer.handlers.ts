import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { type CustomerQuery, type CustomerResponse, getCustomer } from '@offizin/contracts/console/customer';
import { digestOfFilters } from '@offizin/contracts/calls/paging';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { decodeCursor, encodeCursor } from '@offizin/pg/list-page';
import { ReadAudit } from '../../audit/read-audit';
import { DataKeys } from '../../crypto/data-keys.store';
import { emailHash } from '../../crypto/encryption';
import { findOrder } from '../../orders/orders/orders.store';
import { findRequest, type OrderRequestRow } from '../intake/order-requests.store';
import { openedPayload } from '../intake/submission-content';
import { orderRecords, type Person, recordsOfPerson, requestRecords } from './customer.store';

type NamedPerson = Omit<Person, 'orgId' | 'seesRequests'> & { name: string | null };

/**
 * The page of a customer. A person is an e-mail address; without one, the name in the requests. It shows what the reader's
 * scopes allow: without order_requests.read only orders, and nothing that a request alone says.
 */
@Controller()
export class CustomerHandlers {
  private readonly audit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
  ) {
    this.audit = new ReadAudit(database);
  }

  @Handles(getCustomer)
  async get({ caller, query }: Call<typeof getCustomer>): Promise<Answer<CustomerResponse>> {
    const { orgId } = caller;
    const key = await this.dataKeys.keyOf(orgId);
    const seesRequests = caller.scopes.includes('order_requests.read');
    const named = await this.personOf(caller, key, query);
    const sortKey = digestOfFilters([['customer', `${query.order_id ?? ''} ${query.request_id ?? ''}`]]);
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, sortKey);
    await this.noteRead(caller, named);
    const { limit } = query;
    const person = { ...named, orgId, seesRequests };
    const found = await recordsOfPerson(this.database, person, { after, limit });
    const page = found.slice(0, limit);
    const idsOf = (kind: 'request' | 'order') =>
      page.flatMap((record) => (record.kind === kind ? (record.id ?? []) : []));
    const records = new Map(
      [
        ...(await requestRecords(this.database, orgId, key, idsOf('request'))),
        ...(await orderRecords(this.database, orgId, key, idsOf('order'))),
      ].map((record) => [record.id, record]),
    );
    const { requests = 0, rejected = 0, orders = 0 } = found[0] ?? {};
    const last = found.length > limit ? page.at(-1) : undefined;
    return ok({
      customer_name: named.name,
      customer_email: named.email,
      requests: seesRequests ? requests : null,
      rejected: seesRequests ? rejected : null,
      orders,
      data: page.flatMap(({ id }) => records.get(id ?? '') ?? []),
      next_cursor: last?.id ? encodeCursor(sortKey, `${last.time}+00`, last.id) : null,
    });
  }

  /** Throws `Refused`, also for a request that the caller may not read. */
  private async personOf(
    { orgId, scopes }: Caller,
    key: Buffer,
    { order_id: orderId = '', request_id: requestId = '' }: CustomerQuery,
  ): Promise<NamedPerson> {
    const order = isId(orderId) ? await findOrder(this.database, orgId, orderId) : null;
    const id = order ? order.order_request_id : requestId;
    const isReadable = order !== null || scopes.includes('order_requests.read');
    const request =
      isReadable && id !== null && isId(id) ? await findRequest(this.database, orgId, id) : null;
    if (order) return ofOrder(order, request, key);
    if (request) return ofRequest(request, key);
    throw notFound('customer');
  }

  private async noteRead(caller: Caller, { requestId, orderId }: NamedPerson): Promise<void> {
    const isOfRequest = requestId !== null && caller.scopes.includes('order_requests.read');
    const object = isOfRequest ? `order-request:${requestId}` : `order:${orderId ?? ''}`;
    await this.audit.append(caller, 'customer.read', object);
  }
}

type OrderRow = NonNullable<Awaited<ReturnType<typeof findOrder>>>;

function ofOrder(order: OrderRow, request: OrderRequestRow | null, key: Buffer): NamedPerson {
  const { id: orderId, customer_name: name, customer_email: email, is_test: isTest } = order;
  const digest = email ? emailHash(key, email) : (request?.customer_digest ?? null);
  return { name, email, digest, requestId: order.order_request_id, orderId, isTest };
}

function ofRequest(request: OrderRequestRow, key: Buffer): NamedPerson {
  const { id: requestId, customer_name: name, customer_digest: digest, order_id: orderId, is_test } = request;
  const email = openedPayload(key, request).customer_email?.trim() || null;
  return { name, email, digest, requestId, orderId, isTest: is_test };
}
