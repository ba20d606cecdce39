import type { Caller } from '@offizin/contracts/calls/caller';
import { TooSlow } from '@offizin/contracts/calls/errors';
import type { Sql } from '@offizin/pg/database';
import { valueOf } from '@offizin/pg/queries';

/** An erasure waits so long for a call that began before it to begin its write (erasure-jobs.store.ts). */
export const QUICK_CALL_MS = 1_000;

const isErasedSince = valueOf<boolean, [orgId: string, ageMs: number]>(
  'call_overtaken',
  `SELECT EXISTS (SELECT FROM core.erasures WHERE org_id = $1 AND email_hash IS NOT NULL
     AND created_at > now() - $2 * interval '1 millisecond') AS is_erased`,
  false,
);

/**
 * Before personal data are written. A call that waited, for the catalog or the rest of its batch, may hold a person whose
 * erasure was asked for after it began and is done by now. Whose it was is not compared: the hash of an e-mail needs the
 * organization's key. Throws `TooSlow`: sent again, the call begins after the erasure.
 */
export async function assertNotOvertaken(
  sql: Sql,
  calls: readonly Pick<Caller, 'orgId' | 'receivedAtMs'>[],
): Promise<void> {
  const oldest = new Map<string, number>();
  for (const { orgId, receivedAtMs } of calls) {
    const ageMs = receivedAtMs === undefined ? 0 : performance.now() - receivedAtMs;
    if (ageMs > QUICK_CALL_MS) oldest.set(orgId, Math.max(ageMs, oldest.get(orgId) ?? 0));
  }
  for (const [orgId, ageMs] of oldest) {
    if (await isErasedSince(sql, orgId, ageMs)) throw overtaken();
  }
}

function overtaken(): TooSlow {
  return new TooSlow(
    undefined,
    'A customer was erased meanwhile, so nothing of it was stored: send it again.',
  );
}
