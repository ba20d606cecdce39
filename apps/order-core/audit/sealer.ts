import { BACKGROUND_TRANSACTION_MS, Database, type Sql } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { type AuditContent, CHAIN_START, sealOf } from './audit-chain';
import * as store from './audit-seals.store';

/** Data key of the installation itself; the audit log spans all organizations. */
export const INSTALLATION = '00000000-0000-0000-0000-000000000000';
/** Below every position, those that somebody could forge included. */
export const BEFORE_ALL = '-9223372036854775808';

const PAUSE_MS = 500;
const BATCH_ENTRIES = 500;

/**
 * Seals the audit log in the background: one chain over all entries in the order of their positions. Cast: this loop,
 * audit-chain.ts (what a seal covers, how a chain is checked), audit-seals.store.ts, the triggers that refuse UPDATE
 * and DELETE.
 *
 * Guarantees:
 * - one sealer at a time (advisory lock); an entry is sealed once, within seconds of its commit;
 * - no entry appears below the end of the chain afterwards. Positions are given before a commit, so a lower one may
 *   still be under way; whoever has one holds a lock on the table until the transaction has ended. So every position
 *   below one that was seen is settled when all have ended that held the lock then. Only up to there is sealed; a
 *   position that is missing then was rolled back and stays empty;
 * - a transaction that never ends delays seals, it does not break them;
 * - who may write to the database, but lacks the master key, can change, remove or put in no entry unseen. Cutting off
 *   the end, entries and seals alike, shows only against a seal that was kept elsewhere: the log lines hold them.
 */
export class AuditSealer {
  private readonly work: PeriodicWork;
  /** Positions up to here were seen while these transactions were under way. */
  private seen: { position: string; writers: string[] } | null = null;

  constructor(
    private readonly database: Database,
    private readonly keys: { keyOf: (orgId: string) => Promise<Buffer> },
  ) {
    this.work = new PeriodicWork('seal the audit log', PAUSE_MS, () => this.sealSettled());
  }

  start(): void {
    this.work.start();
  }

  async stop(): Promise<void> {
    await this.work.stop();
  }

  /** One round: seals what is settled and looks at what has come. Resolves with the number of new seals. */
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
    if (!(await store.takeSealersTurn(tx))) return 0;
    const head = await store.chainHead(tx);
    const after = head?.position ?? BEFORE_ALL;
    this.seen ??= await look(tx, after);
    if (!this.seen || !(await store.haveEnded(tx, this.seen.writers))) return 0;
    const entries = await store.entriesToSeal(tx, after, this.seen.position, BATCH_ENTRIES);
    if (entries.length > 0) await seal(tx, key, head?.hash ?? CHAIN_START, entries);
    if (entries.length < BATCH_ENTRIES) this.seen = null;
    return entries.length;
  }
}

/** What is there, then who is under way: whoever has a lower position is among them, or can be seen from now on. */
async function look(tx: Sql, after: string): Promise<{ position: string; writers: string[] } | null> {
  const position = await store.newestPosition(tx, after);
  return position === null ? null : { position, writers: await store.writersUnderWay(tx) };
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
