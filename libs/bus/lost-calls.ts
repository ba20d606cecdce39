import type { Msg, NatsConnection } from 'nats';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { log } from '@offizin/runtime/log';
import { inFlightSubject } from './calls-in-flight';
import { openReplySubject } from './connection';
import { HEARD_WITHIN_MS, receiveHeartbeats } from './presence';

/** Interval of the probes. A call is found lost by the third one at the latest. */
export const PROBE_MS = 250;

/** The calls of one caller to a service that have no answer yet. */
interface OpenCalls {
  replyPrefix: string;
  /** In the order in which the calls were sent. */
  numbers: () => number[];
  end: (number: number) => void;
}

interface Replica {
  heardAtMs: number;
  /** The broker had no subscription of it at the last probe. */
  isAbsent: boolean;
  /** Number of the last call that was sent before the probe that it answered last. */
  upTo: number;
  inFlight: ReadonlySet<number>;
}

/**
 * Finds the calls that no replica will answer, because the connection of a replica has ended.
 *
 * Replicas are known by their heartbeats. While a call is slow, a probe asks each for the calls in flight there. The
 * broker answers for a replica without a connection, and nothing answers for one that is paused. A probe follows the
 * calls on the same connections, so the answer covers every call that was sent before it. After a replica was absent, a
 * call is lost once each replica is gone or has answered without it. Heartbeats alone would take a paused or busy
 * replica for a dead one.
 */
export class LostCalls {
  private readonly replyPrefix: string;
  private readonly replicas = new Map<string, Replica>();
  /** Number of the last call before the last probe. */
  private lastBefore = 0;
  /** Calls up to this number may be lost; 0 if none. */
  private doubtedUpTo = 0;

  constructor(
    private readonly connection: NatsConnection,
    private readonly service: ServiceName,
    private readonly open: OpenCalls,
  ) {
    this.replyPrefix = openReplySubject(connection, (message) => this.take(message));
    receiveHeartbeats(connection, service, (id) => this.noteAlive(id));
  }

  /** To be called every PROBE_MS; all calls up to `last` must have been sent. */
  probe(last: number): void {
    const [oldest = Infinity] = this.open.numbers();
    const isSlow = oldest <= this.lastBefore;
    this.lastBefore = last;
    if (oldest > this.doubtedUpTo) this.doubtedUpTo = 0;
    const nowMs = performance.now();
    for (const [id, replica] of this.replicas) {
      // A replica that was stopped is forgotten, too.
      if (isSlow || this.doubtedUpTo > 0 || nowMs - replica.heardAtMs > HEARD_WITHIN_MS) this.send(id, last);
      else replica.isAbsent = false;
    }
  }

  private noteAlive(id: string): void {
    const known = this.replicas.get(id);
    const heardAtMs = performance.now();
    if (known) known.heardAtMs = heardAtMs;
    else this.replicas.set(id, { heardAtMs, isAbsent: false, upTo: 0, inFlight: new Set() });
  }

  private send(id: string, last: number): void {
    const reply = `${this.replyPrefix}.${last}-${id}`;
    this.connection.publish(inFlightSubject(this.service, id), this.open.replyPrefix, { reply });
  }

  private take({ subject, data }: Msg): void {
    const [last = '', ...rest] = subject.slice(this.replyPrefix.length + 1).split('-');
    const id = rest.join('-');
    const replica = this.replicas.get(id);
    if (!replica) return;
    if (data.length === 0) this.absent(id, replica, Number(last));
    else this.present(replica, Number(last), data);
    if (this.doubtedUpTo > 0) this.endLost();
  }

  /** Gone if absent twice: a connection that was cut returns sooner, with its calls. */
  private absent(id: string, replica: Replica, last: number): void {
    if (replica.isAbsent) this.replicas.delete(id);
    replica.isAbsent = true;
    this.doubtedUpTo = Math.max(this.doubtedUpTo, last);
  }

  private present(replica: Replica, last: number, data: Uint8Array): void {
    replica.isAbsent = false;
    const numbers = numbersIn(data);
    if (numbers === null) {
      log.warn({ service: this.service, bytes: data.length }, 'unreadable list of calls in flight');
      return;
    }
    replica.upTo = last;
    replica.inFlight = new Set(numbers);
  }

  private endLost(): void {
    const replicas = [...this.replicas.values()];
    const lost = this.open
      .numbers()
      .filter((number) => number <= this.doubtedUpTo)
      .filter((number) => replicas.every(({ upTo, inFlight }) => number <= upTo && !inFlight.has(number)));
    if (lost.length === 0) return;
    log.warn({ service: this.service, calls: lost.length }, 'calls lost with a connection of the service');
    for (const number of lost) this.open.end(number);
  }
}

function numbersIn(data: Uint8Array): number[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString());
    return Array.isArray(value) && value.every((one): one is number => typeof one === 'number')
      ? value
      : null;
  } catch {
    return null;
  }
}
