import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  type CustomerFacts,
  type CustomerQuery,
  type CustomerResponse,
  getCustomer,
} from '@offizin/contracts/console/customer';
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
import { CollectedFacts } from './customer-facts';
import { type AskedPerson, type PageOfRecords, type Person, recordsOfPerson } from './customer.store';

/** One person has fewer; an e-mail address that a partner sends for all of its customers may have more. */
const MAX_RECORDS_FOR_FACTS = 2000;
const RECORDS_PER_READ = 100;

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
    const asked = { key, person: { ...named, orgId, seesRequests } };
    const page = await recordsOfPerson(this.database, asked, { after, limit: query.limit });
    const { counts, records, next } = page;
    return ok({
      customer_name: named.name,
      customer_email: named.email,
      requests: seesRequests ? counts.requests : null,
      rejected: seesRequests ? counts.rejected : null,
      orders: counts.orders,
      facts: after === null ? await this.factsOf(asked, page) : null,
      data: records,
      next_cursor: next && encodeCursor(sortKey, next.time, next.id),
    });
  }

  /** Reads on where the first page ends: an allergy may be in the oldest record only. */
  private async factsOf(asked: AskedPerson, first: PageOfRecords): Promise<CustomerFacts> {
    const facts = new CollectedFacts();
    facts.add(first.records);
    let { next } = first;
    while (next !== null && facts.records < MAX_RECORDS_FOR_FACTS) {
      const page = await recordsOfPerson(this.database, asked, { after: next, limit: RECORDS_PER_READ });
      facts.add(page.records);
      ({ next } = page);
    }
    const { requests, orders } = first.counts;
    return facts.facts(next === null ? 0 : requests + orders - facts.records);
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
