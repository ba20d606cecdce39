import { type Database, type Sql, statement } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import type { SubscriptionRow } from '../db/entities';
import type { SecretEncryption } from './secret-encryption';

/** URL and secrets of a subscription. Never logged. */
export interface Target {
  revision: number;
  url: string;
  secret: string;
  previousSecret: string | null;
}

/** Cached targets at most; beyond it the oldest are evicted. */
const MAX_TARGETS = 10_000;

type TargetRow = Pick<SubscriptionRow, 'id' | 'revision' | 'url' | 'secret' | 'previous_secret'>;

const readSql = statement<TargetRow, [string[]]>(
  'targets_read',
  `SELECT id, revision, url, secret, previous_secret FROM webhooks.subscriptions
   WHERE id = ANY ($1::uuid[]) AND deleted_at IS NULL`,
);

/**
 * Caches targets by revision: reading and decrypting them costs more than signing a delivery. A lease names the current
 * revision, so a used target is never older than the lease.
 */
export class Targets {
  private readonly known = new Map<string, Target>();
  /** Subscriptions whose secret cannot be decrypted. */
  private readonly undecryptable = new Set<string>();

  constructor(
    private readonly sql: Sql,
    private readonly secrets: SecretEncryption,
  ) {}

  /** Loads these revisions, or newer ones, for `get`. */
  async load(wanted: readonly { subscription_id: string; revision: number }[]): Promise<void> {
    const missing = new Set<string>();
    for (const { subscription_id: id, revision } of wanted) {
      const target = this.known.get(id);
      if (!target || target.revision < revision) missing.add(id);
    }
    if (missing.size === 0) return;
    // A target without a row was deleted: its cached copy must not be used.
    for (const id of missing) {
      this.known.delete(id);
      this.undecryptable.delete(id);
    }
    for (const row of await this.sql.rows(readSql, [...missing])) this.remember(row);
    for (const id of this.known.keys()) {
      if (this.known.size <= MAX_TARGETS) break;
      this.known.delete(id);
    }
  }

  /** null if the subscription was deleted since the lease, or its secret cannot be decrypted. */
  get(subscriptionId: string): Target | null {
    return this.known.get(subscriptionId) ?? null;
  }

  /** For readiness: subscriptions whose deliveries cannot be signed, or null. */
  notice(): string | null {
    const [first] = this.undecryptable;
    return first === undefined
      ? null
      : `${this.undecryptable.size} webhook secrets cannot be decrypted, such as of subscription ${first}`;
  }

  private remember({ id, revision, url, secret, previous_secret: previous }: TargetRow): void {
    try {
      const decrypted = this.secrets.decrypt(id, secret);
      const previousSecret = previous && this.secrets.decrypt(id, previous);
      this.known.set(id, { revision, url, secret: decrypted, previousSecret });
      this.undecryptable.delete(id);
    } catch (error) {
      // Encrypted under another MASTER_KEY. Its deliveries wait; others must not.
      this.undecryptable.add(id);
      log.error({ subscription_id: id, ...errorFields(error) }, 'webhook secret cannot be decrypted');
    }
  }
}

const PAUSE_MS = 60_000;

const encryptedSql = statement<Pick<SubscriptionRow, 'id' | 'secret' | 'previous_secret'>, []>(
  'subscriptions_encrypted',
  `SELECT id, secret, previous_secret FROM webhooks.subscriptions WHERE deleted_at IS NULL`,
);
/** `revision` stays: the secret is the same. */
const reencryptSql = statement<
  Pick<SubscriptionRow, 'id'>,
  { id: string; secret: Buffer; secretAgain: Buffer; previous: Buffer | null; previousAgain: Buffer | null }
>(
  'subscription_reencrypt',
  `UPDATE webhooks.subscriptions SET secret = $secretAgain, previous_secret = $previousAgain
   WHERE id = $id AND secret = $secret AND previous_secret IS NOT DISTINCT FROM $previous RETURNING id`,
);

/** While the master key is changed: encrypts secrets again that only the second key decrypts. */
export function secretReencryption(database: Database, secrets: SecretEncryption): PeriodicWork {
  return new PeriodicWork('reencrypt webhook secrets', PAUSE_MS, async () => {
    if (secrets.isChanging) await reencryptAll(database, secrets);
  });
}

/** Returns the number of subscriptions with secrets encrypted again; a concurrent rotation wins. */
async function reencryptAll(database: Database, secrets: SecretEncryption): Promise<number> {
  let count = 0;
  for (const { id, secret, previous_secret: previous } of await database.rows(encryptedSql)) {
    const changed = secrets.reencrypted(id, secret);
    const previousChanged = previous && secrets.reencrypted(id, previous);
    if (!changed && !previousChanged) continue;
    const [secretAgain, previousAgain] = [changed ?? secret, previousChanged ?? previous];
    const secretsOf = { id, secret, secretAgain, previous, previousAgain };
    count += (await database.rows(reencryptSql, secretsOf)).length;
  }
  if (count > 0) log.info({ subscriptions: count }, 'webhook secrets encrypted under the first master key');
  return count;
}
