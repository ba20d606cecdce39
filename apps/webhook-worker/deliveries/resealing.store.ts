import { type Database, statement } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import type { SecretBox } from './secret-box';

const PAUSE_MS = 60_000;

const sealedSql = statement<{ id: string; secret: Buffer; previous_secret: Buffer | null }, []>(
  'subscriptions_sealed',
  `SELECT id, secret, previous_secret FROM webhooks.subscriptions WHERE deleted_at IS NULL`,
);
/** `revision` stays: the secret is the same. */
const resealSql = statement<{ id: string }, [string, Buffer, Buffer, Buffer | null, Buffer | null]>(
  'subscription_reseal',
  `UPDATE webhooks.subscriptions SET secret = $3, previous_secret = $5
   WHERE id = $1 AND secret = $2 AND previous_secret IS NOT DISTINCT FROM $4 RETURNING id`,
);

/** While the master key is changed: seals secrets again that only the second key opens. */
export function secretResealing(database: Database, secrets: SecretBox): PeriodicWork {
  return new PeriodicWork('reseal webhook secrets', PAUSE_MS, async () => {
    if (secrets.isChanging) await resealAll(database, secrets);
  });
}

/** Resolves with the number of subscriptions whose secrets were sealed again; a rotation in between wins. */
export async function resealAll(database: Database, secrets: SecretBox): Promise<number> {
  let count = 0;
  for (const { id, secret, previous_secret: previous } of await database.rows(sealedSql)) {
    const again = secrets.resealed(id, secret);
    const previousAgain = previous && secrets.resealed(id, previous);
    if (!again && !previousAgain) continue;
    const values = [secret, again ?? secret, previous, previousAgain ?? previous] as const;
    count += (await database.rows(resealSql, id, ...values)).length;
  }
  if (count > 0)
    log.info({ subscriptions: count }, 'webhook secrets are sealed under the first master key now');
  return count;
}
