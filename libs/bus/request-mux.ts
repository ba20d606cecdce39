import { ErrorCode, type Msg, type NatsConnection, NatsError } from 'nats';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { errorFields, log } from '@offizin/runtime/log';
import { openReplySubject } from './connection';
import { LostCalls } from './lost-calls';
import { type AnswerHead, type CallHead, type Frame, unpackFrames } from './wire-format';
import { packSigned } from './signed-batch';
import { FrameBatcher } from './batcher';

type SentHead = CallHead & { caller: Caller };

export interface ReceivedAnswer extends AnswerHead {
  body: Buffer;
}

/**
 * No answer: no subscriber or not connected (`no-receiver`), timeout, connection of one side lost, or message too long.
 */
export class NotAnswered extends Error {
  constructor(readonly why: 'no-receiver' | 'timeout' | 'lost' | 'too-long') {
    super(`no answer: ${why}`);
  }
}

const TOO_LONG: string = ErrorCode.MaxPayloadExceeded;

export interface CallToSend {
  caller: Caller;
  head: Omit<CallHead, 'number'>;
  body: Uint8Array;
}

interface Waiting {
  subject: string;
  message: number;
  timer: NodeJS.Timeout;
  resolve: (answer: ReceivedAnswer) => void;
  reject: (error: Error) => void;
}

type CallFrame = Frame & { number: number };

/**
 * Cheaper than the client's own `request`, which creates more promises and an error with its stack for each call.
 */
export class RequestMux {
  private readonly replyPrefix: string;
  /** An object keyed by call number, not a Map, whose old tables V8 would retain (decision 0026). */
  private readonly waiting: Partial<Record<number, Waiting>> = {};
  private calls = 0;
  private messages = 0;
  private readonly lost: LostCalls;
  private readonly batcher = new FrameBatcher<CallFrame>((subject, frames) => this.publish(subject, frames));

  constructor(
    private readonly connection: NatsConnection,
    private readonly service: ServiceName,
    private readonly keys: CallKeys,
  ) {
    this.replyPrefix = openReplySubject(connection, (message) => this.take(message));
    this.lost = new LostCalls(connection, service, {
      replyPrefix: this.replyPrefix,
      // Keys of an object that are integers are in ascending order.
      numbers: () => Object.keys(this.waiting).map(Number),
      end: (number) => this.end(number, 'lost'),
    });
    void connection.closed().then(() => this.endAll());
  }

  /** Rejects with `NotAnswered`. */
  send(subject: string, call: CallToSend, timeoutMs: number): Promise<ReceivedAnswer> {
    const number = ++this.calls;
    const head = JSON.stringify({ number, caller: call.caller, ...call.head } satisfies SentHead);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(number, 'timeout'), timeoutMs);
      this.waiting[number] = { subject, message: 0, timer, resolve, reject };
      this.batcher.add(subject, { number, head, body: call.body });
    });
  }

  /** Ends the calls that no replica will answer; to be called every PROBE_MS. */
  endLost(): void {
    this.batcher.flush();
    this.lost.probe(this.calls);
  }

  endAll(subject?: string): void {
    if (subject === undefined) this.endThose(() => true, 'lost');
    else this.endThose((waiting) => waiting.subject === subject, 'no-receiver');
  }

  private publish(subject: string, frames: CallFrame[]): void {
    const message = ++this.messages;
    for (const { number } of frames) {
      const waiting = this.waiting[number];
      if (waiting) waiting.message = message;
    }
    try {
      const reply = `${this.replyPrefix}.${message}`;
      const bytes = packSigned(frames, this.service, { subject, reply }, this.keys);
      this.connection.publish(subject, bytes, { reply });
    } catch (error) {
      const isTooLong = error instanceof NatsError && error.code === TOO_LONG;
      for (const { number } of frames) this.end(number, isTooLong ? 'too-long' : 'no-receiver');
    }
  }

  private take(message: Msg): void {
    if (message.data.length === 0) {
      this.endMessage(Number(message.subject.slice(this.replyPrefix.length + 1)));
      return;
    }
    try {
      for (const { head, body } of unpackFrames(message.data)) {
        const answer = JSON.parse(head) as AnswerHead;
        this.settle(answer, body);
      }
    } catch (error) {
      log.error(errorFields(error), 'unreadable answers');
    }
  }

  private settle(answer: AnswerHead, body: Buffer): void {
    const waiting = this.settled(answer.number);
    if (!waiting) return;
    waiting.resolve({ ...answer, body });
  }

  /** The broker sends an empty message when the subject has no subscriber. */
  private endMessage(message: number): void {
    this.endThose((waiting) => waiting.message === message, 'no-receiver');
  }

  private endThose(isMeant: (waiting: Waiting) => boolean, why: NotAnswered['why']): void {
    for (const [number, waiting] of Object.entries(this.waiting))
      if (waiting && isMeant(waiting)) this.end(Number(number), why);
  }

  private end(number: number, why: NotAnswered['why']): void {
    this.settled(number)?.reject(new NotAnswered(why));
  }

  private settled(number: number): Waiting | undefined {
    const waiting = this.waiting[number];
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- see `waiting`
    delete this.waiting[number];
    return waiting;
  }
}
