import type { ServerResponse } from 'node:http';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { EVENT_STREAM, type LiveEvents, MAX_SESSION_STREAMS } from '@offizin/contracts/console/live';
import { type Role, scopesOfRole } from '@offizin/contracts/people/roles';
import type { StaffScope } from '@offizin/contracts/people/scopes';
import { liveGauge } from '@offizin/runtime/sampled-gauges';
import type { SessionRecord } from '@offizin/directory/records';

/** A reader that leaves more unread is disconnected: it asks everything again when it is back. */
const MAX_UNREAD_BYTES = 64 * 1024;
const HEARTBEAT_MS = 20_000;
const HEARTBEAT = ': still here\n\n';
/** The browser's pause before it connects again. */
const OPENING = 'retry: 2000\n: open\n\n';
/** One organization may have this part of all streams. */
const ORGANIZATION_PART = 4;

const HEAD = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store',
  // nginx would hold events back otherwise.
  'x-accel-buffering': 'no',
  // After its end the browser reconnects, so that it reaches a gateway that stays.
  connection: 'close',
};

export interface Listener {
  orgId: string;
  staffId: string;
  sessionId: string;
  role: Role;
}

export class LiveStream {
  readonly openedAtMs = performance.now();
  wasKnown = false;
  role: Role;

  constructor(
    readonly listener: Listener,
    private readonly response: ServerResponse,
  ) {
    this.role = listener.role;
  }

  get scopes(): readonly StaffScope[] {
    return scopesOfRole(this.role);
  }

  write(text: string): void {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    else response.write(text);
  }

  end(lastText = ''): void {
    this.write(lastText);
    this.response.end();
  }
}

export function eventText<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The open streams of this gateway, with their limits and their heartbeat. */
export class Streams {
  private readonly byOrganization = new Map<string, Set<LiveStream>>();
  private readonly bySession = new Map<string, number>();
  private open = 0;
  private isDraining = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly maxStreams: number) {}

  start(): void {
    liveGauge('offizin_live_streams', 'Open streams of the console', () => this.open);
    this.timer = setInterval(() => {
      for (const stream of this.all()) stream.write(HEARTBEAT);
    }, HEARTBEAT_MS);
  }

  /** Throws `Unreachable` (service_unavailable) at a limit: the console then asks now and then instead. */
  requireSpace({ orgId, sessionId }: Listener): void {
    const ofOrganization = this.of(orgId).size;
    const isFull =
      this.open >= this.maxStreams || ofOrganization >= Math.ceil(this.maxStreams / ORGANIZATION_PART);
    if (this.isDraining || isFull || (this.bySession.get(sessionId) ?? 0) >= MAX_SESSION_STREAMS) {
      throw new Unreachable('service_unavailable', 'No further stream can be opened now. Ask now and then.');
    }
  }

  /** After `requireSpace`, in the same tick. */
  add(listener: Listener, response: ServerResponse): LiveStream {
    const { orgId, sessionId } = listener;
    const stream = new LiveStream(listener, response);
    const ofOrganization = this.byOrganization.get(orgId) ?? new Set();
    this.byOrganization.set(orgId, ofOrganization.add(stream));
    this.bySession.set(sessionId, (this.bySession.get(sessionId) ?? 0) + 1);
    this.open += 1;
    response.once('close', () => this.remove(stream));
    response.writeHead(200, HEAD);
    stream.write(OPENING + eventText('hello', { open: ofOrganization.size }));
    return stream;
  }

  of(orgId: string): ReadonlySet<LiveStream> {
    return this.byOrganization.get(orgId) ?? new Set();
  }

  organizations(): string[] {
    return [...this.byOrganization.keys()];
  }

  all(): LiveStream[] {
    return [...this.byOrganization.values()].flatMap((streams) => [...streams]);
  }

  /** Ends every stream; the browsers come back to other gateways, spread over some seconds. */
  drain(): void {
    this.isDraining = true;
    if (this.timer) clearInterval(this.timer);
    for (const stream of this.all()) stream.end(`retry: ${500 + Math.floor(Math.random() * 2_500)}\n\n`);
  }

  private remove(stream: LiveStream): void {
    const { orgId, sessionId } = stream.listener;
    const ofOrganization = this.byOrganization.get(orgId);
    if (!ofOrganization?.delete(stream)) return;
    if (ofOrganization.size === 0) this.byOrganization.delete(orgId);
    const ofSession = (this.bySession.get(sessionId) ?? 1) - 1;
    if (ofSession > 0) this.bySession.set(sessionId, ofSession);
    else this.bySession.delete(sessionId);
    this.open -= 1;
  }
}

/** A fresh session reaches the directory within a second or so; after this time the guard must decide again. */
const UNKNOWN_FOR_MS = 2_000;

interface WatchedSession {
  role: Role;
  openedAtMs: number;
  /** The directory has had its record since the stream was opened. */
  wasKnown: boolean;
}

/**
 * `ended`: the record is gone. `changed`: the role is another. `unknown`: the record has never arrived, so that
 * nothing is known about the session.
 */
type SessionState = 'live' | 'ended' | 'changed' | 'unknown';

export function stateOfSession(
  { role, openedAtMs, wasKnown }: WatchedSession,
  record: Pick<SessionRecord, 'role'> | null,
  nowMs: number,
): SessionState {
  if (record) return record.role === role ? 'live' : 'changed';
  if (wasKnown) return 'ended';
  return nowMs - openedAtMs < UNKNOWN_FOR_MS ? 'live' : 'unknown';
}
