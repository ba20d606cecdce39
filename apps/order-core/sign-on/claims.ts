import { normalizedEmail } from '../staff/staff.store';

/** What the provider has signed about a person. */
export interface Claims {
  email?: unknown;
  email_verified?: unknown;
}

/** Null unless the provider says, as a boolean, that it has verified the address. */
export function verifiedEmailOf({ email, email_verified: isVerified }: Claims): string | null {
  return isVerified === true && typeof email === 'string' && email.length > 0 ? normalizedEmail(email) : null;
}
