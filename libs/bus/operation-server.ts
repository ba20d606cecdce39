import { type CustomTransportStrategy, type MessageHandler, ServerNats } from '@nestjs/microservices';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { firstValueFrom, from, isObservable } from 'rxjs';
import type { Sender } from '@offizin/contracts/call-rights';
import { Refused, ReplyTooLarge, Unreachable } from '@offizin/contracts/errors';
import { type Answer, MAX_REPLY_BYTES, type Operation } from '@offizin/contracts/operation';
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
import { type Frame, packFrames } from './wire-format';
import { operationBySubject } from './handles';
import type { AnswerHead, CallHead } from './request-mux';
import { type CallInMessage, callsOf, ownerOfInbox } from './signed-batch';
import { FrameBatcher } from './batcher';

/**
 * Calls under way at once in one process. What comes beyond is told to come again at once, instead of waiting in a queue
 * until its caller has given up: the rate stays what it is, and nobody waits long. Some times the callers that a pool of
 * 16 connections can keep busy.
 */
export const MAX_UNDER_WAY = 512;
/** A server other than ours may take shorter messages; the difference is for the answer's head. */
const HEAD_BYTES = 64 * 1024;

/**
 * Nest's NATS transport, mended. As it comes, ServerNats ends the process on one message that is not JSON, turns a
 * reply that is too large into an unhandled rejection, and drops requests in flight when it closes. This subclass
 * keeps Nest's subscriptions and handlers and replaces what happens to one message: every call in it gets exactly one
 * answer, whatever it holds, and `close` waits for those under way.
 */
export class OperationServer extends ServerNats implements CustomTransportStrategy {
  private readonly receiving: Subscription[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private readonly answers = new FrameBatcher<AnswerFrame>((_inbox, frames) => this.publish(frames));

  constructor(
    private readonly connection: NatsConnection,
    private readonly keys: CallKeys,
    private readonly queue: string,
    /** Around every call of the service, whichever way it comes. */
    readonly around?: AroundCall,
  ) {
    super({ queue });
  }

  /** The process has one connection, made in connection.ts; Nest does not open a second. */
  override createNatsClient(): Promise<NatsConnection> {
    return Promise.resolve(this.connection);
  }

  override handleStatusUpdates(): Promise<void> {
    return Promise.resolve();
  }

  override bindEvents(connection: NatsConnection): void {
    for (const subject of this.messageHandlers.keys()) {
      const op = operationBySubject.get(subject);
      // From 0, because `increase` does not see a series that begins at 1.
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
    const sender = ownerOfInbox(reply);
    if (sender === null) {
      // An answer to another subject would be written with the rights of this service, for example into the directory.
      untrustedCalls.inc({ why: 'no inbox' });
      log.warn({ subject, reply: truncateName(reply) }, 'call without an inbox of a known process');
      return Promise.resolve();
    }
    for (const call of callsOf(message.data, sender, { subject, reply }, this.keys)) {
      if (this.underWay.size >= MAX_UNDER_WAY) {
        this.shed(subject, reply, call.head);
        continue;
      }
      const work = this.answerCall(subject, { reply, sender }, call);
      this.underWay.add(work);
      void work.then(() => this.underWay.delete(work));
    }
    return Promise.resolve();
  }

  /** Stops receiving, lets the broker hand over what it had sent, waits for the answers; the connection stays open. */
  override async close(): Promise<void> {
    const open = this.receiving.filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
    await Promise.all(this.underWay);
    this.answers.flush();
  }

  /** The handler of an operation, for calls that come in over HTTP instead. */
  handlerOf(subject: string): OperationHandler | null {
    // Subjects are the patterns themselves. Nest's own search parses each as JSON first (3 % of order-core's time).
    const handler = this.messageHandlers.get(subject);
    return handler ? (call) => runNestHandler(handler, call) : null;
  }

  /** Never throws. */
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
    const busy = new Unreachable(
      'service_unavailable',
      'The service has too much to do. Try again in a moment.',
    );
    if (op) this.reply(op, reply, head, refusalToWire(busy));
  }

  private reply(op: Operation, reply: string, call: CallHead | null, answer: WireAnswer): void {
    const { status, headers, body } = answer;
    const length = Buffer.byteLength(body);
    const messageBytes = this.connection.info?.max_payload ?? Infinity;
    if (length > Math.min(MAX_REPLY_BYTES, messageBytes - HEAD_BYTES)) {
      repliesTooLarge.inc({ operation: op.name });
      log.error({ operation: op.name, reply_bytes: length }, 'reply too large');
      this.reply(op, reply, call, refusalToWire(new ReplyTooLarge()));
      return;
    }
    const head: AnswerHead = { number: call?.number ?? 0, status, headers };
    this.answers.add(inboxOf(reply), { reply, head: JSON.stringify(head), body });
  }

  private publish(frames: AnswerFrame[]): void {
    try {
      this.connection.publish(frames.at(-1)?.reply ?? '', packFrames(frames));
    } catch (error) {
      // The connection is gone: the callers see a time-out and repeat.
      log.warn({ answers: frames.length, ...errorFields(error) }, 'answers not sent');
    }
  }
}

type AnswerFrame = Frame & { reply: string };

/** All answers for one process go to the same inbox, to any subject of it; its last part numbers the message that asked. */
function inboxOf(reply: string): string {
  return reply.slice(0, reply.lastIndexOf('.'));
}

/** Where a message came from: the inbox for its answers, and the process that owns the inbox. */
interface Origin {
  reply: string;
  sender: Sender;
}

/** Throws where the sender did not sign the call, or may not ask for it. */
function receivedOf(op: Operation, sender: Sender, call: CallInMessage): ReceivedCall {
  const { head, body, caller } = call;
  try {
    if (call.refusal) throw call.refusal;
    if (head === null) throw new Refused('invalid_request', 'The message holds no call.');
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
