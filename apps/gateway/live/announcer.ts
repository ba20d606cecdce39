import { PendingChanges } from './changes';
import type { Ring } from './doorbell';
import { eventText, type Streams } from './streams';

/** Pause between two messages to one organization. */
const PAUSE_MS = 250;

/** Tells an organization's streams what changed: at once after a pause, merged while much happens. */
export class Announcer {
  /** Organizations that were told less than a pause ago. */
  private readonly waiting = new Map<string, PendingChanges>();

  constructor(private readonly streams: Streams) {}

  readonly rung = (rings: readonly Ring[]): void => {
    const listened = rings.filter(({ orgId }) => this.streams.of(orgId).size > 0);
    for (const orgId of new Set(listened.map((ring) => ring.orgId))) {
      this.announce(orgId, (pending) => {
        for (const ring of listened) if (ring.orgId === orgId) pending.add(ring.change);
      });
    }
  };

  readonly missed = (): void => {
    for (const orgId of this.streams.organizations()) this.announce(orgId, (pending) => pending.addAll());
  };

  private announce(orgId: string, fill: (pending: PendingChanges) => void): void {
    const pending = this.waiting.get(orgId);
    if (pending) return fill(pending);
    const first = new PendingChanges();
    fill(first);
    this.send(orgId, first);
  }

  private send(orgId: string, changes: PendingChanges): void {
    this.waiting.set(orgId, new PendingChanges());
    setTimeout(() => this.paused(orgId), PAUSE_MS).unref();
    const texts = new Map<string, string>();
    for (const stream of this.streams.of(orgId)) {
      const text = texts.get(stream.role) ?? textFor(changes, stream.scopes);
      texts.set(stream.role, text);
      if (text !== '') stream.write(text);
    }
  }

  private paused(orgId: string): void {
    const pending = this.waiting.get(orgId);
    this.waiting.delete(orgId);
    if (pending && !pending.isEmpty()) this.send(orgId, pending);
  }
}

function textFor(changes: PendingChanges, scopes: Parameters<PendingChanges['messageFor']>[0]): string {
  const message = changes.messageFor(scopes);
  return message ? eventText('change', message) : '';
}
