import { normalizedEmail } from '../staff/staff.store';

/** What the provider has signed about a person. */
export interface Claims {
  email?: unknown;
  email_verified?: unknown;
  auth_time?: unknown;
}

/** Clocks of provider and database may differ by this. */
const CLOCK_SKEW_SECONDS = 30;

/** Null unless the provider says, as a boolean, that it has verified the address. */
export function verifiedEmailOf({ email, email_verified: isVerified }: Claims): string | null {
  return isVerified === true && typeof email === 'string' && email.length > 0 ? normalizedEmail(email) : null;
}

/** The person has signed in at the provider since `startedAt`. A session that was there before does not count. */
export function isFreshSignIn({ auth_time: at }: Claims, startedAt: Date, nowMs: number): boolean {
  if (typeof at !== 'number' || !Number.isFinite(at)) return false;
  const earliest = startedAt.getTime() / 1_000 - CLOCK_SKEW_SECONDS;
  return at >= earliest && at <= nowMs / 1_000 + CLOCK_SKEW_SECONDS;
}
