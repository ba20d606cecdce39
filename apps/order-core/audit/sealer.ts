import { BACKGROUND_TRANSACTION_MS, Database, type Sql } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { type AuditContent, CHAIN_START, sealOf } from './audit-chain';
import * as store from './audit-seals.store';

/** Data key of the installation itself; the audit log spans all organizations. */
export const INSTALLATION = '00000000-0000-0000-0000-000000000000';
/** Below every position, including any that could be forged. */
export const BEFORE_ALL = '-9223372036854775808';

const PAUSE_MS = 500;
const BATCH_ENTRIES = 500;

/**
 * Seals the audit log in the background: one chain over all entries in the order of their positions. Cast: this loop,
 * audit-chain.ts (content of a seal, check of a chain), audit-seals.store.ts, the triggers that refuse UPDATE and
 * DELETE.
 *
 * Guarantees:
 * - One sealer runs at a time (advisory lock). An entry is sealed once, within seconds of its commit.
 * - No entry appears later below the end of the chain. Positions are issued before the commit, so a lower one may
 *   still be uncommitted. Its transaction holds a lock on the table until it ends. The sealer reads the newest
 *   position, then the holders of that lock. When they have all ended, every position up to that one is final and can
 *   be sealed. A position that is missing then was rolled back and stays empty.
 * - A transaction that never ends delays seals but does not break them.
 * - Write access to the database without the master key does not suffice to change, remove or insert an entry
 *   unnoticed. Truncating the end, entries with their seals, shows only against a seal stored elsewhere: the log has
 *   them.
 */
export class AuditSealer {
  readonly work = new PeriodicWork('seal the audit log', PAUSE_MS, () => this.sealSettled());
  /** Newest position at the time when these transactions were running. */
  private seen: { position: string; writers: string[] } | null = null;

  constructor(
    private readonly database: Database,
    private readonly keys: { keyOf: (orgId: string) => Promise<Buffer> },
  ) {}

  /** Seals all final entries and scans for new ones. Returns the number of new seals. */
  async sealSettled(): Promise<number> {
    const key = await this.keys.keyOf(INSTALLATION);
    let total = 0;
    let sealed: number;
    do {
      sealed = await this.database.transaction((tx) => this.round(tx, key), BACKGROUND_TRANSACTION_MS);
      total += sealed;
    } while (sealed === BATCH_ENTRIES);
    return total;
  }

  private async round(tx: Sql, key: Buffer): Promise<number> {
    if (!(await store.tryLockSealing(tx))) return 0;
    const head = await store.chainHead(tx);
    const after = head?.position ?? BEFORE_ALL;
    this.seen ??= await scan(tx, after);
    if (!this.seen || !(await store.haveEnded(tx, this.seen.writers))) return 0;
    const entries = await store.entriesToSeal(tx, after, this.seen.position, BATCH_ENTRIES);
    if (entries.length > 0) await seal(tx, key, head?.hash ?? CHAIN_START, entries);
    if (entries.length < BATCH_ENTRIES) this.seen = null;
    return entries.length;
  }
}

/** Reads the position first: a transaction with a lower one is then either among the writers or already visible. */
async function scan(tx: Sql, after: string): Promise<{ position: string; writers: string[] } | null> {
  const position = await store.newestPosition(tx, after);
  return position === null ? null : { position, writers: await store.openWriters(tx) };
}

async function seal(tx: Sql, key: Buffer, before: Buffer, entries: readonly AuditContent[]): Promise<void> {
  let hash = before;
  const seals = entries.map((entry) => {
    hash = sealOf(key, hash, entry);
    return { position: entry.position, hash };
  });
  await store.insertSealsOf(tx, seals);
  log.info(
    { position: entries.at(-1)?.position, seal: hash.toString('hex'), entries: seals.length },
    'audit log sealed',
  );
}
