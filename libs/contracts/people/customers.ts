import { Email, Int, OneOf, Text } from '../calls/fields';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';

/** Erasure of one customer's personal data on request. Amounts and statuses stay. */

/** Exactly one of the fields; erasure-subject.ts of order-core checks it. */
@Described(
  'Exactly one field. An e-mail erases everything that contains it. An id erases that object; an order and the order ' +
    'request it came from are erased together, other objects of the same customer are not.',
)
export class EraseCustomerBody {
  @Email({ optional: true, description: 'E-mail address, in any case; an international domain also as xn--' })
  email?: string;
  @Text({ format: 'uuid', optional: true, description: 'Id of one order' }) order_id?: string;
  @Text({ format: 'uuid', optional: true, description: 'Id of one order request' }) order_request_id?: string;
  @Text({ format: 'uuid', optional: true, description: 'Id of one prescription' }) prescription_id?: string;
}

export const ERASURE_STATUSES = ['done', 'running'] as const;

@Described('How many objects the erasure cleared. What was cleared before is not counted again.')
export class EraseCustomerResponse {
  @Text({ format: 'uuid', description: 'Names the erasure in the audit log' }) id!: string;
  @OneOf(ERASURE_STATUSES, { description: 'running: the rest is cleared in the background' })
  status!: (typeof ERASURE_STATUSES)[number];
  @Int({ description: 'Orders that were cleared' }) orders!: number;
  @Int({ description: 'Order requests that were cleared' }) order_requests!: number;
  @Int({ description: 'Prescriptions that were cleared' }) prescriptions!: number;
}

export const eraseCustomer = operation({
  name: 'customers.erase',
  summary: "Remove a customer's names, addresses, e-mails and documents everywhere",
  access: 'settings.write',
  method: 'POST',
  path: '/api/v2/public/orgs/{orgId}/customers/erase',
  body: EraseCustomerBody,
  reply: EraseCustomerResponse,
});
