import { Callback, CallbackBody, CallbackEvent, CallbackWithSecret } from '@offizin/contracts/callbacks';
import { CHANGED_AT, CREATED_AT, EVENT_ID, example, ORG_ID, REFERENCE, REQUEST_ID } from './example';

const URL = 'https://telemedicine.example.com/offizin-callback';

const CALLBACK: Callback = {
  url: URL,
  is_active: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

/** What a partner is sent. */
export const CALLBACK_EVENT: CallbackEvent = {
  id: EVENT_ID,
  org_id: ORG_ID,
  event_type: 'order_status_updated',
  title: 'Order status updated',
  description: 'Status, payment status or a flag of an order changed.',
  metadata: {
    id: REQUEST_ID,
    status: 'approved',
    message: 'The request was approved and became an order.',
    external_reference: REFERENCE,
    order_status: 'shipped',
    reason: null,
    question: null,
    updated_at: CHANGED_AT,
    old_status: 'awaiting_packing',
    new_status: 'shipped',
    sequence: 2,
  },
  created_at: CHANGED_AT,
};

export const CALLBACK_EXAMPLES = [
  example(CallbackBody, { url: URL }),
  example(Callback, CALLBACK),
  example(CallbackWithSecret, {
    ...CALLBACK,
    secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  }),
  example(CallbackEvent, CALLBACK_EVENT),
];
