import { createHash } from 'node:crypto';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { ErrorCode } from '@offizin/contracts/calls/error-table';
import { Refused } from '@offizin/contracts/calls/errors';
import { TEST_REFUSAL_HEADER } from '@offizin/contracts/calls/test-mark';
import type { Database } from '@offizin/pg/database';
import { isHitOf } from '@offizin/pg/queries';
import { assertCallerIsLive } from '../../callers/live-caller.store';
import { integrationOf } from './integrations.store';

/** False when it was refused before, or the shop is a real one. Of racing submissions one is refused. */
const refuseFirst = isHitOf<{ orgId: string; shopId: string; keyId: string; digest: Buffer }>(
  'refused_trial_insert',
  `INSERT INTO core.refused_trials (shop_id, sender_id, reference_digest)
   SELECT s.id, coalesce(${integrationOf('$keyId')}, s.org_id), $digest FROM core.shops s
   WHERE s.org_id = $orgId AND s.id = $shopId AND s.is_test
   ON CONFLICT DO NOTHING RETURNING shop_id`,
);

const REFUSALS: ReadonlyMap<string, ErrorCode> = new Map([
  ['busy-', 'rate_limited'],
  ['down-', 'core_unreachable'],
]);

/**
 * A test shop refuses the first submission of a reference that begins so, as a busy or unreachable service would. Throws
 * `Refused`.
 */
export async function refuseTrial(
  database: Database,
  caller: Caller,
  shopId: string,
  reference: string | null,
): Promise<void> {
  const code = REFUSALS.get(reference?.slice(0, 5) ?? '');
  if (!code || reference === null || caller.kind !== 'integration') return;
  await assertCallerIsLive(database, caller);
  const { orgId, actorId: keyId } = caller;
  const digest = createHash('sha256').update(reference).digest();
  if (!(await refuseFirst(database, { orgId, shopId, keyId, digest }))) return;
  const message = 'This test shop refuses the reference once: send it again.';
  throw new Refused(code, message, undefined, { 'retry-after': '1', [TEST_REFUSAL_HEADER]: 'true' });
}
