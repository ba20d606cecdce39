import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { type CustomerQuery, type CustomerResponse, getCustomer } from '@offizin/contracts/console/customer';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { ReadAudit } from '../../audit/read-audit';
import { DataKeys } from '../../crypto/data-keys.store';
import { decrypt, emailHash } from '../../crypto/encryption';
import { findOrder } from '../../orders/orders/orders.store';
import { findRequest } from '../intake/order-requests.store';
import { ordersOfPerson, requestsOfPerson } from './customer.store';

interface Person {
  name: string | null;
  email: string | null;
  digest: Buffer | null;
  requestId: string | null;
  orderId: string | null;
}

/** The page of a customer. A person is an e-mail address; without one, the name in the requests. */
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
    const person = query.order_id === undefined ? null : await this.ofOrder(orgId, key, query.order_id);
    const found = person ?? (seesRequests ? await this.ofRequest(orgId, key, query) : null);
    if (!found) throw notFound('customer');
    await this.noteRead(caller, found);
    const { name, email, orderId } = found;
    const requests = seesRequests ? await requestsOfPerson(this.database, { orgId, key, ...found }) : [];
    const fromRequests = requests.flatMap(({ order_id: id }) => id ?? []);
    const orders = await ordersOfPerson(this.database, { orgId, key, email, orderId, fromRequests });
    const rejected = requests.filter(({ status }) => status === 'rejected').length;
    return ok({ customer_name: name, customer_email: email, requests, orders, rejected });
  }

  private async ofOrder(orgId: string, key: Buffer, id: string): Promise<Person | null> {
    const row = isId(id) ? await findOrder(this.database, orgId, id) : null;
    if (!row) return null;
    const { customer_name: name, customer_email: email, order_request_id: requestId } = row;
    return { name, email, digest: email ? emailHash(key, email) : null, requestId, orderId: id };
  }

  private async ofRequest(
    orgId: string,
    key: Buffer,
    { request_id: id = '' }: CustomerQuery,
  ): Promise<Person | null> {
    const row = isId(id) ? await findRequest(this.database, orgId, id) : null;
    if (!row) return null;
    const {
      customer_name: name,
      customer_digest: digest,
      payload_ciphertext: sealed,
      order_id: orderId,
    } = row;
    const payload = JSON.parse(decrypt(key, sealed, id).toString()) as { customer_email?: unknown };
    const { customer_email: sent } = payload;
    const email = typeof sent === 'string' && sent.trim() !== '' ? sent : null;
    return { name, email, digest, requestId: id, orderId };
  }

  private async noteRead(caller: Caller, { requestId, orderId }: Person): Promise<void> {
    const object = requestId === null ? `order:${orderId ?? ''}` : `order-request:${requestId}`;
    await this.audit.append(caller, 'customer.read', object);
  }
}
