import type { BusConnection } from '@offizin/bus/key-value';
import { errorFields, log } from '@offizin/runtime/log';
import { Viewers, type Viewing } from './viewers';

const SUBJECT = 'presence.console';
const EXPIRE_MS = 1_000;
const MAX_MESSAGE_BYTES = 4_096;
/** A name has at most 255 code points. */
const MAX_TEXT_LENGTH = 510;

/** What a session has open, or null when it has closed it. */
export type Seen = Viewing | { orgId: string; sessionId: string; requestId: null };

/**
 * Who has which order request open, here and at the other gateways: each tells the others what its own sessions say.
 * Never stored and never logged.
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
        else this.hear(data);
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

  /** Counts here at once, also while the bus is unavailable. */
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

  private hear(data: Uint8Array): void {
    const seen = readSeen(data);
    if (seen) this.note(seen);
    else log.warn({ subject: SUBJECT, bytes: data.length }, 'malformed message ignored');
  }
}

/** Null for what no gateway sends. */
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
