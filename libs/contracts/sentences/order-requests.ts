/** Order requests as partners send them, prescriptions and the erasure of customers; see sentences.ts. */
const REQUEST_ID = 'Id of the order request';
const REQUEST_STATUS =
  'State of the request. pending: waits for a decision; needs_clarification: waits for an answer of the partner';
const FIRST_PRODUCT = 'the first of up to three products';
const SECOND_PRODUCT = 'the second of up to three products';
const THIRD_PRODUCT = 'the third of up to three products';

export const REQUEST_SENTENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  OrderRequestEnvelope: {
    $: 'An order request: its reference, its sender, and what the customer wants',
    payload: 'Customer, lines and prescription. Keys that are not named here are stored, too',
  },
  OrderRequestPayload: {
    customer_email: 'E-mail address of the customer; this or customer_name is required',
    customer_id: "Id of the customer in the partner's system; null or left out for none",
    address_street: 'Street and house number; null or left out for none',
    address_city: 'Town; null or left out for none',
    address_postal_code: 'Postal code, as text: it may begin with 0; null or left out for none',
    address_phone: 'Telephone number; null or left out for none',
    shipping_option:
      'How the goods reach the customer; Abholung is pick-up in the shop; null or left out: not chosen',
    cash_on_pickup: 'The customer pays when picking up the goods',
    payment_status:
      'State of the payment; left out: cash_on_pickup where cash_on_pickup is true, else pending',
    payment_reference: 'Id of the payment at the payment provider; null or left out for none',
    total_amount: 'Total in EUR; left out: the sum of quantity times price of the lines',
    items: 'The lines; not required where a prescription comes along',
  },
  OrderRequestLineItem: {
    name: 'Name of the product, for people; one of name, p1_id and product_id is required',
    quantity: 'Pieces',
    p1_id: 'Catalog product id; one of name, p1_id and product_id is required',
  },
  OrderRequestResponse: {
    $: 'Receipt of an order request',
    id: 'Id of the order request: keep it, to read the request back',
    status: REQUEST_STATUS,
    message: 'One sentence about the state, for people',
    external_reference: 'The reference as it was sent',
  },
  OrderRequestProgress: {
    $: 'What a partner may know of its order request',
    id: REQUEST_ID,
    order_status: 'Status of the order that the request became; null before it did',
    updated_at: 'When the request or its order was last changed, in UTC',
  },
  ExternalReferenceQuery: {
    external_reference: 'The reference that the request was sent with, exactly',
  },
  OrderRequestSummary: {
    $: 'An order request, as a list shows it',
    id: REQUEST_ID,
    status: REQUEST_STATUS,
    created_at: 'When the request was handed in, in UTC',
  },
  OrderRequestDetail: { $: 'A whole order request, for staff' },
  OrderRequestListResponse: { $: 'A page of order requests' },
  OrderRequestListQuery: {
    status: 'Only requests in this state',
    shop_id: 'Only requests to this shop',
    source: 'Only requests of this platform, exactly',
    external_reference: 'Only the requests with exactly this reference, one per source and shop',
  },
  OrderRequestVersion: {
    $: 'One version of a request: a partner sends a new one to answer a question',
    number: 'Number of the version, from 1',
    created_at: 'When the version was handed in, in UTC',
    prescription: 'The document that came with this version; null when none did',
  },
  OrderRequestDocument: {
    state:
      'stored: it can be read; waiting: still to be fetched from its URL; failed: the fetch was given up',
    url: 'The HTTPS URL that the partner gave; null where it sent the PDF itself',
  },
  PrescriptionUse: {
    $: 'An earlier order request with the same PDF',
    order_request_id: 'Id of the earlier request',
    status: 'State of the earlier request',
    created_at: 'When the earlier request was handed in, in UTC',
  },
  ApproveBody: {
    customer_name: 'Full name of the customer',
    customer_email: 'E-mail address of the customer',
    address_street: 'Street and house number',
    address_city: 'Town',
    address_postal_code: 'Postal code, as text: it may begin with 0',
    address_phone: 'Telephone number',
    total_amount: "Total in EUR. Left out: the partner's, or with `items` the sum of the corrected lines",
    items: 'The lines of the order, which replace all lines of the partner. Lines say qty here',
  },
  ApproveResponse: {
    $: 'The decision, and the order that the request became',
    id: REQUEST_ID,
    status: 'State of the request: approved',
    order_id: 'Id of the order',
    order: 'The order as it was created',
  },
  RejectBody: {
    $: 'Why the request is rejected',
    reason: 'Why the request is rejected; the partner may read it',
  },
  ClarificationBody: { $: 'A question to the partner' },
  PrescriptionIngestRequest: {
    'Customer Email': 'E-mail address of the customer',
    'Customer First Name': 'Given name of the customer; null or left out for none',
    'Customer Last Name': 'Family name of the customer; null or left out for none',
    'Order Total Amount': 'Total of the order in EUR; null or left out for none',
    'Questionnaire Indication': 'Indication in the words of the questionnaire; null or left out for none',
    'Product 1 Service Product Id': `Catalog product id of ${FIRST_PRODUCT}; null or left out for none`,
    'Product 1 Quantity': `Pieces of ${FIRST_PRODUCT}; null or left out for none`,
    'Product 1 Price': `Price in EUR of one piece of ${FIRST_PRODUCT}; null or left out for none`,
    'Product 2 Service Product Id': `Catalog product id of ${SECOND_PRODUCT}; null or left out for none`,
    'Product 2 Quantity': `Pieces of ${SECOND_PRODUCT}; null or left out for none`,
    'Product 2 Price': `Price in EUR of one piece of ${SECOND_PRODUCT}; null or left out for none`,
    'Product 3 Service Product Id': `Catalog product id of ${THIRD_PRODUCT}; null or left out for none`,
    'Product 3 Quantity': `Pieces of ${THIRD_PRODUCT}; null or left out for none`,
    'Product 3 Price': `Price in EUR of one piece of ${THIRD_PRODUCT}; null or left out for none`,
  },
  PrescriptionIngestResponse: {
    $: 'Receipt of a prescription',
    id: 'Id of the prescription; the same one again has the same id',
    upsert: 'Always ok: the prescription is stored',
  },
  PrescriptionSummary: {
    $: 'A prescription, as a list shows it',
    id: 'Id of the prescription',
    external_id: 'The External Id that it was handed in with',
    customer_first_name: 'Given name of the customer; null when none was given, and after an erasure',
    customer_last_name: 'Family name of the customer; null when none was given, and after an erasure',
    order_total_amount: 'Total in EUR that was handed in',
  },
  Prescription: {
    $: 'A whole prescription',
    receipt: 'The receipt PDF; null when none was handed in',
  },
  PrescriptionReceipt: { $: 'The receipt PDF of a prescription, and whether it could be fetched' },
  PrescriptionListResponse: { $: 'A page of prescriptions' },
  EraseCustomerBody: {
    email: 'E-mail address, in any case',
    order_id: 'Id of one order',
    order_request_id: 'Id of one order request',
    prescription_id: 'Id of one prescription',
  },
  EraseCustomerResponse: {
    orders: 'Orders that were cleared',
    order_requests: 'Order requests that were cleared',
    prescriptions: 'Prescriptions that were cleared',
  },
};
