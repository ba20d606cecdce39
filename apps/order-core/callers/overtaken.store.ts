import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Sql, statement } from '@offizin/pg/database';
import type { ErasureEntity } from '../db/request-entities';
import { emailHash } from '../crypto/encryption';

/** An erasure waits so long for a call that began before it to begin its write (erasure-jobs.store.ts). */
export const QUICK_CALL_MS = 1_000;

/** A call and whom it is about to store: the hash of an e-mail, as of erasures, or how to get it. */
export interface PersonToStore extends Pick<Caller, 'orgId' | 'begunAtMs'> {
  customer: Buffer | null | (() => Promise<Buffer | null>);
}

const erasedSince = statement<Pick<ErasureEntity, 'email_hash'>, [orgId: string, ageMs: number]>(
  'call_overtaken',
  `SELECT email_hash FROM core.erasures WHERE org_id = $1 AND email_hash IS NOT NULL
     AND created_at > now() - $2 * interval '1 millisecond'`,
);

interface OrderToStore {
  orgId: string;
  credential: Pick<Caller, 'begunAtMs'>;
  patch: { customer_email?: string | null };
}

/** The customer that the patch of an order sets. */
export function personIn(
  keys: { keyOf: (orgId: string) => Promise<Buffer> },
  { orgId, credential: { begunAtMs }, patch: { customer_email: email } }: OrderToStore,
): PersonToStore {
  return { orgId, begunAtMs, customer: email ? async () => emailHash(await keys.keyOf(orgId), email) : null };
}

/**
 * Before personal data are written. A call that took long, on its way or in wait of others, may hold a person whose
 * erasure was asked for after it began and is done by now. Throws `Refused` (service_unavailable): sent again, the call
 * begins after the erasure.
 */
export async function assertNotOvertaken(sql: Sql, calls: readonly PersonToStore[]): Promise<void> {
  const found = new Map<string, readonly Pick<ErasureEntity, 'email_hash'>[]>();
  for (const { orgId, begunAtMs = Infinity, customer } of calls) {
    const ageMs = Date.now() - begunAtMs;
    if (ageMs <= QUICK_CALL_MS || customer === null) continue;
    // The members of a batch are of one call.
    const call = `${orgId} ${begunAtMs}`;
    const erased = found.get(call) ?? (await sql.rows(erasedSince, orgId, ageMs));
    found.set(call, erased);
    if (erased.length === 0) continue;
    const hash = typeof customer === 'function' ? await customer() : customer;
    if (hash && erased.some(({ email_hash: one }) => one?.equals(hash))) throw overtaken();
  }
}

function overtaken(): Refused {
  const message =
    'The customer was erased meanwhile, so nothing of it was stored: send it again as a new request.';
  return new Refused('service_unavailable', message);
}
