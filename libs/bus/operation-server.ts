import { type CustomTransportStrategy, type MessageHandler, ServerNats } from '@nestjs/microservices';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { firstValueFrom, from, isObservable } from 'rxjs';
import type { Sender } from '@offizin/contracts/calls/call-rights';
import { Refused, ReplyTooLarge, Unreachable } from '@offizin/contracts/calls/errors';
import {
  type Answer,
  MAX_REPLY_BYTES,
  type Operation,
  REPLY_OVER_HTTP,
  type ServiceName,
} from '@offizin/contracts/calls/operation';
import { type CallKeys, checkSender, untrusted } from '@offizin/runtime/call-keys';
import { errorFields, log } from '@offizin/runtime/log';
import {
  type AroundCall,
  callHeaders,
  type OperationHandler,
  type ReceivedCall,
  refusalToWire,
  serveOperation,
  type WireAnswer,
} from '@offizin/operations/serve-operation';
import { truncateName } from '@offizin/runtime/truncate';
import { traceparentOf } from '@offizin/runtime/tracing';
import { repliesTooLarge, untrustedCalls } from './bus-metrics';
import { CallsInFlight, replyPrefixOf, serveInFlight } from './calls-in-flight';
import { type AnswerHead, type CallHead, type Frame, packFrames } from './wire-format';
import { operationBySubject } from './handles';
import { type CallInMessage, callsOf, senderOfReply } from './signed-batch';
import { FrameBatcher } from './batcher';

/**
 * Calls beyond it get an immediate 503 instead of queueing until their callers give up. Several times what the database
 * pool can serve.
 */
export const MAX_CALLS_IN_FLIGHT = 512;
/** Reserved for the answer's head when the broker's message limit is lower than ours. */
const HEAD_BYTES = 64 * 1024;

/**
 * ServerNats ends the process on a message that is not JSON and drops calls in flight on close. Here every call gets
 * exactly one answer, and `close` waits for it.
 */
export class OperationServer extends ServerNats implements CustomTransportStrategy {
  private readonly receiving: Subscription[] = [];
  private endServeInFlight: () => void = () => undefined;
  private readonly inFlight = new CallsInFlight();
  private readonly answers = new FrameBatcher<AnswerFrame>((_replyPrefix, frames) => this.publish(frames));

  constructor(
    private readonly connection: NatsConnection,
    private readonly keys: CallKeys,
    private readonly queue: ServiceName,
    /** Wraps every call of the service, over the bus or HTTP. */
    readonly around?: AroundCall,
  ) {
    super({ queue });
  }

  override createNatsClient(): Promise<NatsConnection> {
    return Promise.resolve(this.connection);
  }

  override handleStatusUpdates(): Promise<void> {
    return Promise.resolve();
  }

  override bindEvents(connection: NatsConnection): void {
    // Before calls arrive, so that their callers know the replica.
    this.endServeInFlight = serveInFlight(connection, this.queue, (replyPrefix) => {
      this.answers.flush();
      return this.inFlight.numbersOf(replyPrefix);
    });
    for (const subject of this.messageHandlers.keys()) {
      const op = operationBySubject.get(subject);
      // Starts at 0: `increase` ignores a series that begins at 1.
      if (op) repliesTooLarge.inc({ operation: op.name }, 0);
      const callback = (error: Error | null, message: Msg): void => {
        if (error) log.error({ subject, ...errorFields(error) }, 'subscription failed');
        else void this.handleMessage(subject, message);
      };
      this.receiving.push(connection.subscribe(subject, { queue: this.queue, callback }));
    }
  }

  override handleMessage(subject: string, message: Msg): Promise<void> {
    const { reply = '' } = message;
    const sender = senderOfReply(reply);
    if (sender === null) {
      // An answer to any other subject would use this service's rights, for example to write into the directory.
      untrustedCalls.inc({ why: 'no inbox' });
      log.warn({ subject, reply: truncateName(reply) }, 'call without an inbox of a known process');
      return Promise.resolve();
    }
    for (const call of callsOf(message.data, sender, { subject, reply }, this.keys)) {
      if (this.inFlight.size >= MAX_CALLS_IN_FLIGHT) {
        this.shed(subject, reply, call.head);
        continue;
      }
      this.inFlight.add(reply, call.head?.number ?? 0, this.answerCall(subject, { reply, sender }, call));
    }
    return Promise.resolve();
  }

  /** Waits for all answers; the connection stays open. */
  override async close(): Promise<void> {
    const open = this.receiving.filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
    await this.inFlight.finished();
    this.answers.flush();
    this.endServeInFlight();
  }

  handlerOf(subject: string): OperationHandler | null {
    const handler = this.getHandlerByPattern(subject);
    return handler ? (call) => runNestHandler(handler, call) : null;
  }

  private async answerCall(subject: string, from: Origin, call: CallInMessage): Promise<void> {
    const op = operationBySubject.get(subject);
    const handler = this.handlerOf(subject);
    if (!op || !handler) return;
    let answer: WireAnswer;
    try {
      answer = await serveOperation(op, handler, receivedOf(op, from.sender, call), this.around);
    } catch (error) {
      answer = refusalToWire(error);
    }
    this.reply(op, from.reply, call.head, answer);
  }

  private shed(subject: string, reply: string, head: CallHead | null): void {
    const op = operationBySubject.get(subject);
    const busy = new Unreachable('service_unavailable', 'The service is overloaded. Try again in a moment.');
    if (op) this.reply(op, reply, head, refusalToWire(busy));
  }

  private reply(op: Operation, reply: string, call: CallHead | null, answer: WireAnswer): void {
    const { status, headers, body, pieces } = answer;
    void pieces?.return();
    const length = pieces ? Infinity : Buffer.byteLength(body);
    const messageBytes = this.connection.info?.max_payload ?? Infinity;
    if (length > Math.min(MAX_REPLY_BYTES, messageBytes - HEAD_BYTES)) {
      if (op.smallOverBus && op.method === 'GET') {
        this.reply(op, reply, call, { status: REPLY_OVER_HTTP, headers: {}, body: '' });
        return;
      }
      repliesTooLarge.inc({ operation: op.name });
      log.error({ operation: op.name, reply_bytes: length }, 'reply too large');
      this.reply(op, reply, call, refusalToWire(new ReplyTooLarge()));
      return;
    }
    const head: AnswerHead = { number: call?.number ?? 0, status, headers };
    this.answers.add(replyPrefixOf(reply), { reply, head: JSON.stringify(head), body });
  }

  private publish(frames: AnswerFrame[]): void {
    try {
      this.connection.publish(frames.at(-1)?.reply ?? '', packFrames(frames));
    } catch (error) {
      // The callers run into a timeout and repeat.
      log.warn({ answers: frames.length, ...errorFields(error) }, 'answers not sent');
    }
  }
}

type AnswerFrame = Frame & { reply: string };

interface Origin {
  reply: string;
  sender: Sender;
}

/** Throws if the sender did not sign the call or may not make it. */
function receivedOf(op: Operation, sender: Sender, call: CallInMessage): ReceivedCall {
  const { head, body, caller } = call;
  try {
    if (call.refusal) throw call.refusal;
    if (head === null) throw new Refused('invalid_request', 'The message contains no call.');
    if (caller === null) throw untrusted();
    checkSender(sender, op, caller);
  } catch (error) {
    untrustedCalls.inc({ why: error instanceof Refused ? error.code : 'service_unavailable' });
    log.warn({ operation: op.name, sender, ...errorFields(error) }, 'call not trusted');
    throw error;
  }
  return {
    caller,
    params: head.params,
    queryString: head.query,
    headers: callHeaders((name) => head.headers[name]),
    body,
    traceparent: traceparentOf(head.traceparent ?? undefined),
  };
}

async function runNestHandler(handler: MessageHandler, call: unknown): Promise<Answer<unknown>> {
  const result: unknown = await handler(call);
  const value: unknown = isObservable(result) ? await firstValueFrom(from(result)) : result;
  return value as Answer<unknown>;
}
