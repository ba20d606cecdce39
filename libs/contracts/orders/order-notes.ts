import { OneOf, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';

/** What people write down at an order. Not part of the order: a note changes no version and is not an event. */

/** Work on paper and parcels that the order itself does not show. */
export const ORDER_MARKS = ['slip_printed', 'label_printed', 'packed'] as const;
export type OrderMark = (typeof ORDER_MARKS)[number];

export const ORDER_NOTE_KINDS = ['note', ...ORDER_MARKS] as const;

export class OrderNote {
  @Text() id!: string;
  @Timestamp() at!: string;
  @Text({ description: 'Name of the person or of the API key, or the process that acted' }) who!: string;
  @OneOf(ORDER_NOTE_KINDS, { description: 'A note, or the mark of a piece of work' })
  kind!: (typeof ORDER_NOTE_KINDS)[number];
  @Text({ nullable: true, maxLength: 2_000, description: 'Null for a mark, and after an erasure' })
  text!: string | null;
}

/** Notes and marks of one order. */
export const MAX_ORDER_NOTES = 200;

export class OrderNoteBody {
  @Text({ minLength: 1, maxLength: 2_000, description: 'For staff only' }) text!: string;
}

export class OrderMarkBody {
  @OneOf(ORDER_MARKS) kind!: OrderMark;
}

const ORDER = '/api/v2/public/orgs/{orgId}/orders/{orderId}';
const writing = {
  service: 'order-core',
  access: 'orders.write',
  method: 'POST',
  refuses: ['not_found', 'conflict'],
  statuses: [201],
} as const;

export const addOrderNote = consoleOperation({
  ...writing,
  name: 'orders.note',
  summary: 'Add a note for staff to an order; an order has at most 200 notes and marks',
  path: `${ORDER}/notes`,
  body: OrderNoteBody,
  reply: OrderNote,
});

export const addOrderMark = consoleOperation({
  ...writing,
  name: 'orders.mark',
  summary: 'Mark work on an order as done, such as a printed slip; the history shows who and when',
  path: `${ORDER}/marks`,
  body: OrderMarkBody,
  reply: OrderNote,
});
