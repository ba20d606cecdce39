import { randomUUID } from 'node:crypto';
import type { Msg } from 'nats';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { errorFields, log } from '@offizin/runtime/log';
import type { BusConnection } from './key-value';
import { sendHeartbeats } from './presence';
import { senderOfReply } from './signed-batch';

/** Where a caller asks a replica which of its calls are in flight there. */
export function inFlightSubject(service: ServiceName, replica: string): string {
  return `in-flight.${service}.${replica}`;
}

interface CallInFlight {
  reply: string;
  number: number;
  work: Promise<void>;
}

/** The calls that a replica has received and not answered. */
export class CallsInFlight {
  private readonly calls = new Set<CallInFlight>();

  get size(): number {
    return this.calls.size;
  }

  add(reply: string, number: number, work: Promise<void>): void {
    const call = { reply, number, work };
    this.calls.add(call);
    void work.then(() => this.calls.delete(call));
  }

  async finished(): Promise<void> {
    await Promise.all([...this.calls].map(({ work }) => work));
  }

  numbersOf(replyPrefix: string): number[] {
    return [...this.calls]
      .filter(({ reply }) => replyPrefixOf(reply) === replyPrefix)
      .map(({ number }) => number);
  }
}

/** The last part of a reply subject numbers the message; an answer may go to any subject below the prefix. */
export function replyPrefixOf(reply: string): string {
  return reply.slice(0, reply.lastIndexOf('.'));
}

/**
 * Makes the replica known, and answers the callers that ask for the numbers of their calls, until the returned
 * function is called. The subscription alone shows that the connection is there: without it the broker answers.
 */
export function serveInFlight(
  connection: BusConnection,
  service: ServiceName,
  numbersOf: (replyPrefix: string) => number[],
): () => void {
  const replica = randomUUID();
  const subject = inFlightSubject(service, replica);
  const answer = ({ data, reply = '' }: Msg): void => {
    // As for calls: an answer to any other subject would use this service's rights.
    if (senderOfReply(reply) === null) return;
    const numbers = numbersOf(Buffer.from(data).toString('latin1'));
    if (!connection.isClosed()) connection.publish(reply, JSON.stringify(numbers));
  };
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (!error) return answer(message);
      // A replica that is known but not subscribed would count as gone.
      endHeartbeats();
      log.error({ subject, ...errorFields(error) }, 'subscription failed');
    },
  });
  const endHeartbeats = sendHeartbeats(connection, service, replica);
  return () => {
    endHeartbeats();
    if (!connection.isClosed()) subscription.unsubscribe();
  };
}
