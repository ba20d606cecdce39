import { SCOPE_OF_KIND } from '@offizin/contracts/live';
import { PendingChanges } from './changes';
import type { Ring } from './doorbell';
import { eventText, type LiveStream, type Streams } from './streams';
import type { Viewers } from './viewers';

/** Pause between two messages to one organization. */
const PAUSE_MS = 250;

/** What an organization's streams are told next. */
class News {
  readonly changes = new PendingChanges();
  hasPresence = false;

  isEmpty(): boolean {
    return this.changes.isEmpty() && !this.hasPresence;
  }
}

/** Tells an organization's streams what changed: at once after a pause, merged while much happens. */
export class Announcer {
  /** Organizations that were told something less than a pause ago. */
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
