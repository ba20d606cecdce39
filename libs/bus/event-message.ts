import { createHash } from 'node:crypto';
import type { JsMsg } from 'nats';
import type { OutboxEvent } from '@offizin/contracts/events';
import { errorFields, log } from '@offizin/runtime/log';
import { traceparentOf } from '@offizin/runtime/tracing';
import { deadLetters } from './bus-metrics';
import { TRACEPARENT_HEADER } from './event-traces';

/** A message that is no event of ours. Only our own services may publish here, so it is a defect of one of them. */
export interface DeadLetter {
  /** The same for the same message, however often it comes and whichever stream it stood in. */
  id: string;
  subject: string;
  content: Uint8Array;
  reason: string;
}

/** A message of the stream as the event that it is, or as what is kept of one that cannot be read. */
export function readEvent(message: JsMsg): OutboxEvent | DeadLetter {
  const { subject, data } = message;
  const text = Buffer.from(data).toString();
  const end = text.indexOf('\n');
  try {
    const envelope = JSON.parse(text.slice(0, end)) as Omit<OutboxEvent, 'body' | 'traceparent'>;
    const traceparent = traceparentOf(message.headers?.get(TRACEPARENT_HEADER));
    return { ...envelope, body: text.slice(end + 1), ...(traceparent !== null && { traceparent }) };
  } catch (error) {
    deadLetters.inc();
    log.error({ subject, sequence: message.seq, bytes: data.length, ...errorFields(error) }, 'not an event');
    const id = createHash('sha256').update(`${subject}\n`).update(data).digest('hex');
    return { id, subject, content: data, reason: error instanceof Error ? error.message : String(error) };
  }
}
