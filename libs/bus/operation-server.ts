import { type CustomTransportStrategy, type MessageHandler, ServerNats } from '@nestjs/microservices';
import { headers as newHeaders, type Msg, type NatsConnection, type Subscription } from 'nats';
import { firstValueFrom, from, isObservable } from 'rxjs';
import { Unreachable } from '@offizin/contracts/errors';
import type { Answer, Operation } from '@offizin/contracts/operation';
import type { CallerTokens } from '@offizin/runtime/caller-token';
import { CALLER_TOKEN_HEADER } from '@offizin/runtime/caller-token';
import { endOfTurn } from '@offizin/runtime/end-of-turn';
import { errorFields, log } from '@offizin/runtime/log';
import {
  type AroundCall,
  callHeaders,
  type OperationHandler,
  type ReceivedCall,
  refusalToWire,
  serveOperation,
  type WireAnswer,
} from '@offizin/runtime/serve-operation';
import { traceparentOf } from '@offizin/runtime/tracing';
import { HEADER } from './bus';
import { operationBySubject } from './handles';

/**
 * Calls under way at once in one process. What comes beyond is told to come again at once, instead of waiting in a queue
 * until its caller has given up: the rate stays what it is, and nobody waits long. Some times the callers that a pool of
 * 16 connections can keep busy.
 */
export const MAX_UNDER_WAY = 512;
/** Longest reply that goes over NATS; the broker's own limit is 1 MiB with headers. */
const MAX_REPLY_BYTES = 1_000_000;

/**
 * Nest's NATS transport, mended. As it comes, ServerNats ends the process on one message that is not JSON, turns a
 * reply that is too large into an unhandled rejection, and drops requests in flight when it closes. This subclass
 * keeps Nest's subscriptions and handlers and replaces what happens to one message: every message gets exactly one
 * answer, whatever it holds, and `close` waits for those under way.
 */
export class OperationServer extends ServerNats implements CustomTransportStrategy {
  private readonly receiving: Subscription[] = [];
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly connection: NatsConnection,
    private readonly tokens: CallerTokens,
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
      const callback = (error: Error | null, message: Msg): void => {
        if (error) log.error({ subject, ...errorFields(error) }, 'subscription failed');
        else void this.handleMessage(subject, message);
      };
      this.receiving.push(connection.subscribe(subject, { queue: this.queue, callback }));
    }
  }

  override async handleMessage(subject: string, message: Msg): Promise<void> {
    if (this.underWay.size >= MAX_UNDER_WAY) return this.shed(subject, message);
    const work = this.answerMessage(subject, message);
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }

  /** Stops receiving, lets the broker hand over what it had sent, waits for the answers; the connection stays open. */
  override async close(): Promise<void> {
    const open = this.receiving.filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
    await Promise.all(this.underWay);
  }

  /** The handler of an operation, for calls that come in over HTTP instead. */
  handlerOf(subject: string): OperationHandler | null {
    // Subjects are the patterns themselves. Nest's own search parses each as JSON first (3 % of order-core's time).
    const handler = this.messageHandlers.get(subject);
    return handler ? (call) => runNestHandler(handler, call) : null;
  }

  private async answerMessage(subject: string, message: Msg): Promise<void> {
    const op = operationBySubject.get(subject);
    const handler = this.handlerOf(subject);
    if (!op || !handler) return;
    let answer: WireAnswer;
    try {
      answer = await serveOperation(op, handler, this.received(message), this.around);
    } catch (error) {
      answer = refusalToWire(error);
    }
    await endOfTurn();
    this.reply(op, message, answer);
  }

  private shed(subject: string, message: Msg): void {
    const op = operationBySubject.get(subject);
    const busy = new Unreachable(
      'service_unavailable',
      'The service has too much to do. Try again in a moment.',
    );
    if (op) this.reply(op, message, refusalToWire(busy));
  }

  private received(message: Msg): ReceivedCall {
    const header = (name: string): string => message.headers?.get(name) ?? '';
    return {
      caller: this.tokens.verify(header(CALLER_TOKEN_HEADER)),
      params: Object.fromEntries(new URLSearchParams(header(HEADER.params))),
      queryString: header(HEADER.query),
      headers: callHeaders(header),
      body: message.data,
      traceparent: traceparentOf(header(HEADER.traceparent)),
    };
  }

  private reply(op: Operation, message: Msg, answer: WireAnswer): void {
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
    if (body.length > MAX_REPLY_BYTES) {
      const error = new Error(
        `the reply of ${op.name} has ${body.length} bytes, more than a message may have`,
      );
      log.error({ operation: op.name, ...errorFields(error) }, 'reply too large');
      this.reply(op, message, refusalToWire(error));
      return;
    }
    const headers = newHeaders();
    headers.set(HEADER.status, String(answer.status));
    for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
    try {
      message.respond(body, { headers });
    } catch (error) {
      // The connection is gone: the caller sees a time-out and repeats.
      log.warn({ operation: op.name, ...errorFields(error) }, 'reply not sent');
    }
  }
}

async function runNestHandler(handler: MessageHandler, call: unknown): Promise<Answer<unknown>> {
  const result: unknown = await handler(call);
  const value: unknown = isObservable(result) ? await firstValueFrom(from(result)) : result;
  return value as Answer<unknown>;
}
