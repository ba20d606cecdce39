import {
  CHANGE_KINDS,
  type ChangeKind,
  type LiveChange,
  type LiveEvents,
  MAX_LIVE_CHANGES,
  SCOPE_OF_KIND,
} from '@offizin/contracts/live';
import type { StaffScope } from '@offizin/contracts/scopes';

/** Changes of one organization that wait for the next message; each object once. Bounded, however many arrive. */
export class PendingChanges {
  private readonly idsByKind = new Map<ChangeKind, Set<string>>();
  private isAll = false;

  add({ kind, id }: LiveChange): void {
    const ids = this.idsByKind.get(kind) ?? new Set();
    this.idsByKind.set(kind, ids);
    // One more than the limit is enough to say that there were too many.
    if (ids.size <= MAX_LIVE_CHANGES) ids.add(id);
  }

  /** Changes may have been missed. */
  addAll(): void {
    this.isAll = true;
  }

  isEmpty(): boolean {
    return !this.isAll && this.idsByKind.size === 0;
  }

  /** The message for a role with these scopes, or null when none of it is for that role. */
  messageFor(scopes: readonly StaffScope[]): LiveEvents['change'] | null {
    if (this.isAll) return { changes: [], all: true };
    const changes = CHANGE_KINDS.filter((kind) => scopes.includes(SCOPE_OF_KIND[kind])).flatMap((kind) =>
      [...(this.idsByKind.get(kind) ?? [])].map((id) => ({ kind, id })),
    );
    if (changes.length === 0) return null;
    return changes.length > MAX_LIVE_CHANGES ? { changes: [], all: true } : { changes };
  }
}
