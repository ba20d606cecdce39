import { type Database, statement } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import type { SecretEncryption } from './secret-encryption';

const PAUSE_MS = 60_000;

const encryptedSql = statement<{ id: string; secret: Buffer; previous_secret: Buffer | null }, []>(
  'subscriptions_encrypted',
  `SELECT id, secret, previous_secret FROM webhooks.subscriptions WHERE deleted_at IS NULL`,
);
/** `revision` stays: the secret is the same. */
const reencryptSql = statement<{ id: string }, [string, Buffer, Buffer, Buffer | null, Buffer | null]>(
  'subscription_reencrypt',
  `UPDATE webhooks.subscriptions SET secret = $3, previous_secret = $5
   WHERE id = $1 AND secret = $2 AND previous_secret IS NOT DISTINCT FROM $4 RETURNING id`,
);

/** While the master key is changed: encrypts secrets again that only the second key decrypts. */
export function secretReencryption(database: Database, secrets: SecretEncryption): PeriodicWork {
  return new PeriodicWork('reencrypt webhook secrets', PAUSE_MS, async () => {
    if (secrets.isChanging) await reencryptAll(database, secrets);
  });
}

/** Returns the number of subscriptions with secrets encrypted again; a concurrent rotation wins. */
export async function reencryptAll(database: Database, secrets: SecretEncryption): Promise<number> {
  let count = 0;
  for (const { id, secret, previous_secret: previous } of await database.rows(encryptedSql)) {
    const again = secrets.reencrypted(id, secret);
    const previousAgain = previous && secrets.reencrypted(id, previous);
    if (!again && !previousAgain) continue;
    const values = [secret, again ?? secret, previous, previousAgain ?? previous] as const;
    count += (await database.rows(reencryptSql, id, ...values)).length;
  }
  if (count > 0) log.info({ subscriptions: count }, 'webhook secrets encrypted under the first master key');
  return count;
}
