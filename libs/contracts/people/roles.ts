import { ALL_SCOPES, type StaffScope } from './scopes';

/** What the people of a pharmacy may do in the console. See docs/contract.md#people */
export const ROLES = ['owner', 'pharmacist', 'clerk'] as const;
export type Role = (typeof ROLES)[number];

const ROLE_SCOPES: Readonly<Record<Role, readonly StaffScope[]>> = {
  owner: [
    ...ALL_SCOPES,
    'staff.read',
    'staff.write',
    'audit.read',
    'orders.reopen',
    'review.settings',
    'views.share',
  ],
  pharmacist: [
    'orders.read',
    'orders.write',
    'orders.reopen',
    'order_requests.read',
    'order_requests.review',
    'prescriptions.read',
    'products.read',
    'inventory.read',
    'reports.read',
  ],
  clerk: [
    'orders.read',
    'orders.write',
    'products.read',
    'products.write',
    'inventory.read',
    'inventory.write',
  ],
};

export function scopesOfRole(role: Role): readonly StaffScope[] {
  return ROLE_SCOPES[role];
}

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}
