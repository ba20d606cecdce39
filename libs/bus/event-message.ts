import { createHash } from 'node:crypto';
import type { JsMsg } from 'nats';
import type { OutboxEvent } from '@offizin/contracts/events';
import { errorFields, log } from '@offizin/runtime/log';
import { deadLetters } from './bus-metrics';

/**
 * A message of the stream: the events of one moment, two lines each. The first line is the envelope; the second is the
 * body as it was stored, so that its bytes go through unparsed and unchanged. JSON text has no newline of its own: inside
 * strings it is written as \n.
 */
export function messageOf(events: readonly OutboxEvent[]): string {
  return events.map(({ body, ...envelope }) => `${JSON.stringify(envelope)}\n${body}`).join('\n');
}

/** The part of a message that is no event. Only our own services may publish here, so it is a defect of one of them. */
export interface DeadLetter {
  /** The same for the same content, however often it comes and whichever stream it stood in. */
  id: string;
  subject: string;
  content: Uint8Array;
  reason: string;
}

/** The events of a message; what cannot be read of it comes as what is kept of that, and takes nothing else with it. */
export function readMessage({ subject, data, seq }: JsMsg): (OutboxEvent | DeadLetter)[] {
  const lines = Buffer.from(data.buffer, data.byteOffset, data.length).toString().split('\n');
  const read: (OutboxEvent | DeadLetter)[] = [];
  for (let place = 0; place < lines.length; place += 2) {
    try {
      const envelope = JSON.parse(lines[place] ?? '') as Omit<OutboxEvent, 'body'>;
      const body = lines[place + 1];
      if (body === undefined) throw new Error('an envelope without a body');
      read.push({ ...envelope, body });
    } catch (error) {
      // Whole where nothing of it could be read: bytes that are no text are not changed.
      const content = lines.length <= 2 ? data : Buffer.from(lines.slice(place, place + 2).join('\n'));
      deadLetters.inc();
      log.error({ subject, sequence: seq, bytes: content.length, ...errorFields(error) }, 'not an event');
      const id = createHash('sha256').update(`${subject}\n`).update(content).digest('hex');
      read.push({ id, subject, content, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return read;
}
