import type { Caller } from '@offizin/contracts/calls/caller';
import type { Database } from '@offizin/pg/database';
import { MicroBatches } from '@offizin/pg/micro-batches';
import { appendAudits, auditActorOf, type AuditEntry } from './audit.store';

/**
 * Audit entries of reads. A read has no separate transaction to write to, so the entries of concurrent reads share a
 * statement and its commit.
 */
export class ReadAudit {
  private readonly batches: MicroBatches<AuditEntry & { number: number }, null>;
  private appended = 0;

  constructor(database: Database) {
    this.batches = new MicroBatches({
      run: async (entries) => {
        await appendAudits(database, entries);
        return entries.map(() => null);
      },
      // Entries do not conflict, so each has its own key.
      keyOf: ({ number }) => String(number),
    });
  }

  /** Resolves when the entry is committed: what it is about may leave only then. */
  async append(caller: Caller, action: string, object: string): Promise<void> {
    const { orgId } = caller;
    await this.batches.submit({ number: ++this.appended, orgId, action, object, ...auditActorOf(caller) });
  }
}
