import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { errorFields, log } from '@offizin/runtime/log';
import { deadLetters } from '@offizin/bus/bus-metrics';
import { type DeadLetter, deadLetterOf, type MessagePart } from './event-message';
import { handleTraced } from './event-traces';

/** An event that its handler can never process; `place` is its index in the batch. */
export interface UnreadableEvent {
  place: number;
  reason: string;
}

export interface EventIntakeOptions {
  /**
   * Handles a batch in stream order; must be idempotent. Resolves with the events that it can never process. Refused
   * data divides the batch; any other error retries it whole.
   */
  handle: (events: OutboxEvent[]) => Promise<readonly UnreadableEvent[]>;
  isRefusedData: (error: unknown) => boolean;
  /** Resolves with the number of newly stored letters. */
  setAside: (letters: readonly DeadLetter[]) => Promise<number>;
}

/**
 * Handles messages and sets unreadable parts aside. A refused batch is halved until each bad event is alone. The order
 * stays.
 */
export class EventIntake {
  constructor(private readonly options: EventIntakeOptions) {}

  /**
   * Resolves with the number of handled events. Rejects while the database or the broker is unavailable; retry then.
   * Calls `progress` between statements.
   */
  async take(parts: readonly MessagePart[], progress: () => void): Promise<number> {
    const letters: DeadLetter[] = [];
    const events: ReadablePart[] = [];
    for (const part of parts) {
      if ('event' in part.read) events.push({ part, event: part.read.event });
      else letters.push(deadLetterOf(part, part.read.reason));
    }
    await this.handle(events, letters, progress);
    if (letters.length > 0) await this.setAside(letters);
    return parts.length - letters.length;
  }

  private async handle(
    members: readonly ReadablePart[],
    letters: DeadLetter[],
    progress: () => void,
  ): Promise<void> {
    if (members.length === 0) return;
    try {
      const events = members.map(({ event }) => event);
      for (const { place, reason } of await handleTraced(events, this.options.handle))
        letters.push(...lettersAt(members, place, reason));
    } catch (error) {
      if (!this.isRefused(error)) throw error;
      progress();
      const [first] = members;
      if (members.length === 1 && first) {
        letters.push(deadLetterOf(first.part, error instanceof Error ? error.message : String(error)));
        log.error({ event_id: first.event.id, ...errorFields(error) }, 'event refused');
        return;
      }
      const middle = Math.ceil(members.length / 2);
      await this.handle(members.slice(0, middle), letters, progress);
      await this.handle(members.slice(middle), letters, progress);
    }
  }

  /** These errors come from a value that the handler did not expect. */
  private isRefused(error: unknown): boolean {
    const isOfCode =
      error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
    return isOfCode || this.options.isRefusedData(error);
  }

  private async setAside(letters: readonly DeadLetter[]): Promise<void> {
    const stored = await this.options.setAside(letters);
    if (stored === 0) return;
    deadLetters.inc(stored);
    for (const { id, subject, eventId, content, reason } of letters.slice(0, MAX_LINES))
      log.error(
        { set_aside: id, subject, event_id: eventId, bytes: content.length, reason },
        'message set aside',
      );
  }
}

/** Log lines per batch. */
const MAX_LINES = 10;

interface ReadablePart {
  part: MessagePart;
  event: OutboxEvent;
}

function lettersAt(members: readonly ReadablePart[], place: number, reason: string): DeadLetter[] {
  const member = members[place];
  return member ? [deadLetterOf(member.part, reason)] : [];
}
