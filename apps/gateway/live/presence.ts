import type { BusConnection } from '@offizin/bus/key-value';
import { errorFields, log } from '@offizin/runtime/log';
import { type LivePerson, MAX_LIVE_PEOPLE } from '@offizin/contracts/console/live';

const SUBJECT = 'presence.console';
const EXPIRE_MS = 1_000;
const MAX_MESSAGE_BYTES = 4_096;
/** A name has at most 255 code points. */
const MAX_TEXT_LENGTH = 510;

/** What a session has open, or null when it has closed it. */
type Seen = Viewing | { orgId: string; sessionId: string; requestId: null };

/**
 * The people by the order request that they have open, here and at the other gateways. Each gateway sends the others the
 * state of the sessions that are connected to it. Never stored and never logged.
 */
export class ConsolePresence {
  readonly viewers = new Viewers();
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly connection: BusConnection,
    private readonly changed: (orgId: string) => void,
  ) {}

  start(): void {
    const subscription = this.connection.subscribe(SUBJECT, {
      callback: (error, { data }) => {
        if (error) log.warn({ subject: SUBJECT, ...errorFields(error) }, 'presence subscription failed');
        else this.receive(data);
      },
    });
    this.unsubscribe = () => subscription.unsubscribe();
    this.timer = setInterval(() => {
      for (const orgId of this.viewers.expire(performance.now())) this.changed(orgId);
    }, EXPIRE_MS);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    if (!this.connection.isClosed()) this.unsubscribe();
  }

  /** Counts here immediately, also while the bus is unavailable. */
  tell(seen: Seen): void {
    this.note(seen);
    if (!this.connection.isClosed()) this.connection.publish(SUBJECT, Buffer.from(JSON.stringify(seen)));
  }

  private note(seen: Seen): void {
    const { viewers } = this;
    const isNews =
      seen.requestId === null
        ? viewers.leave(seen.orgId, seen.sessionId)
        : viewers.view(seen, performance.now());
    if (isNews) this.changed(seen.orgId);
  }

  private receive(data: Uint8Array): void {
    const seen = readSeen(data);
    if (seen) this.note(seen);
    else log.warn({ subject: SUBJECT, bytes: data.length }, 'malformed message ignored');
  }
}

/** Null for a malformed message. */
export function readSeen(data: Uint8Array): Seen | null {
  if (data.length > MAX_MESSAGE_BYTES) return null;
  let message: unknown;
  try {
    message = JSON.parse(Buffer.from(data).toString());
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  const { orgId, sessionId, staffId, name, requestId, since }: Partial<Record<keyof Viewing, unknown>> =
    message;
  if (!isText(orgId) || !isText(sessionId)) return null;
  if (requestId === null) return { orgId, sessionId, requestId };
  if (!isText(staffId) || !isText(name) || !isText(requestId) || !isText(since)) return null;
  return { orgId, sessionId, staffId, name, requestId, since };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH;
}

/** The page repeats it every 15 s. */
export const VIEWING_MS = 30_000;
/** Per organization; beyond it further sessions are not shown. */
const MAX_VIEWERS = 500;

/** What one session has open. */
export interface Viewing {
  orgId: string;
  sessionId: string;
  staffId: string;
  name: string;
  requestId: string;
  /** ISO time at which the session opened it. */
  since: string;
}

type Viewer = Viewing & { untilMs: number };

/** Which sessions have which order request open, in memory for a short time. */
export class Viewers {
  private readonly byOrganization = new Map<string, Map<string, Viewer>>();

  /** True when others see a change. A repeat keeps the time since when. */
  view(viewing: Viewing, nowMs: number): boolean {
    const { orgId, sessionId } = viewing;
    const viewers = this.byOrganization.get(orgId) ?? new Map<string, Viewer>();
    const before = viewers.get(sessionId);
    if (!before && viewers.size >= MAX_VIEWERS) return false;
    const isSame = before?.requestId === viewing.requestId;
    const since = isSame ? before.since : viewing.since;
    viewers.set(sessionId, { ...viewing, since, untilMs: nowMs + VIEWING_MS });
    this.byOrganization.set(orgId, viewers);
    return !isSame || before.name !== viewing.name;
  }

  /** True when others see a change. */
  leave(orgId: string, sessionId: string): boolean {
    const viewers = this.byOrganization.get(orgId);
    if (!viewers?.delete(sessionId)) return false;
    if (viewers.size === 0) this.byOrganization.delete(orgId);
    return true;
  }

  /** Removes viewers that were not repeated in time; returns the organizations where others see a change. */
  expire(nowMs: number): string[] {
    const gone = [...this.byOrganization.values()].flatMap((viewers) =>
      [...viewers.values()].filter(({ untilMs }) => untilMs <= nowMs),
    );
    for (const { orgId, sessionId } of gone) this.leave(orgId, sessionId);
    return [...new Set(gone.map(({ orgId }) => orgId))];
  }

  /** All viewers except this person; each person once per request, with the earliest time. */
  peopleFor({ orgId, staffId }: { orgId: string; staffId: string }): LivePerson[] {
    const people = new Map<string, LivePerson>();
    for (const viewer of this.byOrganization.get(orgId)?.values() ?? []) {
      if (viewer.staffId === staffId) continue;
      const person = personOf(viewer);
      const key = `${person.staff_id} ${person.request_id}`;
      const known = people.get(key);
      if (!known || person.since < known.since) people.set(key, person);
    }
    return [...people.values()].slice(0, MAX_LIVE_PEOPLE);
  }
}

function personOf({ staffId, name, requestId, since }: Viewing): LivePerson {
  return { staff_id: staffId, name, request_id: requestId, since };
}
