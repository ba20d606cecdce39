import {
  CHANGE_KINDS,
  type ChangeKind,
  type LiveChange,
  type LiveEvents,
  MAX_LIVE_CHANGES,
  SCOPE_OF_KIND,
} from '@offizin/contracts/console/live';
import type { StaffScope } from '@offizin/contracts/people/scopes';
import type { Ring } from './doorbell';
import { eventText, type LiveStream, type Streams } from './streams';
import type { Viewers } from './presence';

/** Pause between two messages to one organization. */
const PAUSE_MS = 250;

/** The next message to an organization's streams. */
class News {
  readonly changes = new PendingChanges();
  hasPresence = false;

  isEmpty(): boolean {
    return this.changes.isEmpty() && !this.hasPresence;
  }
}

/** Sends changes to an organization's streams: at once after a pause, merged while there are many. */
export class Announcer {
  /** Organizations that received a message less than a pause ago. */
  private readonly waiting = new Map<string, News>();

  constructor(
    private readonly streams: Streams,
    private readonly viewers: Viewers,
  ) {}

  readonly rung = (rings: readonly Ring[]): void => {
    const listened = rings.filter(({ orgId }) => this.streams.of(orgId).size > 0);
    for (const orgId of new Set(listened.map((ring) => ring.orgId))) {
      this.announce(orgId, ({ changes }) => {
        for (const ring of listened) if (ring.orgId === orgId) changes.add(ring.change);
      });
    }
  };

  readonly missed = (): void => {
    for (const orgId of this.streams.organizations()) this.announce(orgId, ({ changes }) => changes.addAll());
  };

  readonly presenceChanged = (orgId: string): void => {
    if (this.streams.of(orgId).size > 0) this.announce(orgId, (news) => (news.hasPresence = true));
  };

  /** Empty for a role that may not read order requests. */
  presenceFor({ listener, scopes }: LiveStream): string {
    if (!scopes.includes(SCOPE_OF_KIND.order_request)) return '';
    return eventText('presence', { people: this.viewers.peopleFor(listener) });
  }

  private announce(orgId: string, add: (news: News) => void): void {
    const news = this.waiting.get(orgId) ?? new News();
    add(news);
    if (!this.waiting.has(orgId)) this.send(orgId, news);
  }

  private send(orgId: string, news: News): void {
    this.waiting.set(orgId, new News());
    setTimeout(() => this.paused(orgId), PAUSE_MS).unref();
    const changesByRole = new Map<string, string>();
    for (const stream of this.streams.of(orgId)) {
      const changes = changesByRole.get(stream.role) ?? changesFor(stream, news);
      changesByRole.set(stream.role, changes);
      const text = changes + (news.hasPresence ? this.presenceFor(stream) : '');
      if (text !== '') stream.write(text);
    }
  }

  private paused(orgId: string): void {
    const news = this.waiting.get(orgId);
    this.waiting.delete(orgId);
    if (news && !news.isEmpty()) this.send(orgId, news);
  }
}

function changesFor({ scopes }: LiveStream, { changes }: News): string {
  const message = changes.messageFor(scopes);
  return message ? eventText('change', message) : '';
}

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
