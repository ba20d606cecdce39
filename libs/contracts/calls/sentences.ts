/**
 * Sentences of the OpenAPI description for fields that mean the same in every class. A `description` at the field wins.
 * tools/openapi/schemas.spec.ts refuses a field without a sentence, and a sentence here that describes nothing.
 */
export const BY_NAME: Readonly<Record<string, string>> = {
  // Lists
  data: 'The rows of this page',
  pagination: 'Where this page lies in the list, and where the next one begins',
  limit: 'Page size that was asked for, or the default',
  offset: 'Rows that were skipped',
  period: 'The days that were counted, both included',
  // Ids
  org_id: 'Id of the organization',
  shop_id: 'Id of the shop, as the list of shops gives it',
  p1_id: 'Catalog product id',
  webhook_id: 'Id of the webhook subscription',
  external_reference:
    'Reference that the partner gave the request, unique for its shop, integration and source',
  source: 'Platform as the sender names it, not verified; `shop:<shop_id>` where it named none',
  // Times
  created_at: 'When it was created, in UTC',
  updated_at: 'When it was last changed, in UTC',
  disabled_at: 'When the service switched the subscription off, in UTC; null where it did not',
  last_attempt_at: 'When the latest attempt began, in UTC; null before the first',
  // Customers
  customer_name: 'Full name of the customer; null when none was given, and after an erasure',
  customer_email: 'E-mail address of the customer; null when none was given, and after an erasure',
  // Money and delivery
  total_amount: 'Total in EUR: the given amount, else the sum of quantity times price of the lines',
  payment_status:
    'State of the payment. pending: not paid yet; cash_on_pickup: to be paid at pick-up; refunded: given back; failed: the payment did not succeed',
  payment_reference: 'Id of the payment at the payment provider',
  shipping_option: 'How the goods reach the customer; Abholung is pick-up in the shop',
  cash_on_pickup: 'The customer pays when picking up the goods',
  shipped: 'The goods have been handed to the carrier; the status shipped sets it',
  picked_up: 'The customer has picked up the goods; the status picked_up sets it',
  order_number: 'Number of the order for people',
  order_datetime: 'When the customer ordered, in UTC',
  metadata: 'Values of your own, by key',
  // Products
  category: 'Category of the product; at an organization its own word for it',
  price: 'Price in EUR of one piece',
  slug: 'Name of the product for web addresses',
  available: 'Offered for sale; says nothing about the stock',
  // Documents and decisions
  pdf_sha256: 'SHA-256 of the PDF, in hex; null while it is not stored',
  corrections: 'What staff changed while approving; null when nothing was changed',
  checks: 'Technical hints about the document',
  reason: 'Why the request was rejected or withdrawn; null unless it was',
  // Webhooks and events
  event_id: 'Id of the event that is sent',
  event_type: 'Kind of the event',
  attempt_count: 'Attempts that were made so far',
  action: 'What was done',
  changes: 'The fields that changed',
  field: 'Name of the field',
};
