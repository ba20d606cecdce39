/** What each scope allows, for the OpenAPI description and the key forms. See docs/contract.md#keys-and-tokens */
export const SCOPES = {
  'orders.read': 'List orders and read an order',
  'orders.write': 'Create, upsert and update orders, and change their status',
  'products.read': 'List shops, list and read products',
  'products.write': 'Add to the inventory, update, attach, detach and override products',
  'inventory.read': 'Read stock and the stock log',
  'inventory.write': 'Adjust stock',
  'order_requests.read': 'List and read order requests',
  'order_requests.write': 'Submit order requests',
  'order_requests.review': 'Approve, reject and question order requests',
  'prescriptions.read': 'Read prescriptions and their documents',
  'prescriptions.write': 'Hand in prescriptions',
  'reports.read': 'Read reports',
  'webhooks.read': 'Read webhook subscriptions, deliveries and events',
  'webhooks.write': 'Change webhook subscriptions and send deliveries again',
  'settings.read': 'Read API keys, the workflow, stock and shop settings',
  'settings.write': 'Change API keys, the workflow, stock and shop settings',
} as const;

export type Scope = keyof typeof SCOPES;

/** Scopes of people only; an API key cannot have them. */
export const PEOPLE_SCOPES = [
  'staff.read',
  'staff.write',
  'audit.read',
  'orders.reopen',
  'review.settings',
  'views.share',
] as const;

/** A scope of a person's role (roles.ts). */
export type StaffScope = Scope | (typeof PEOPLE_SCOPES)[number];

export const ALL_SCOPES = Object.keys(SCOPES).filter(isScope);

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text);
}

export function isStaffScope(text: string): text is StaffScope {
  return isScope(text) || PEOPLE_SCOPES.some((scope) => scope === text);
}
