import { type LivePerson, MAX_LIVE_PEOPLE } from '@offizin/contracts/live';

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

  /** Forgets who was not repeated; returns the organizations where others see a change. */
  expire(nowMs: number): string[] {
    const gone = [...this.byOrganization.values()].flatMap((viewers) =>
      [...viewers.values()].filter(({ untilMs }) => untilMs <= nowMs),
    );
    for (const { orgId, sessionId } of gone) this.leave(orgId, sessionId);
    return [...new Set(gone.map(({ orgId }) => orgId))];
  }

  /** Everybody but the person who asks; a person once per request, with the earliest time. */
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
