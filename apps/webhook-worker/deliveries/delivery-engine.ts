/**
 * `DeliveryEngine`: sends what is due, in order, to every endpoint, and writes down what came of it.
 *
 *   inbox commit ──ring──▶ claim ──▶ EndpointLoad ──▶ attempt (sign, Egress.send) ──▶ ResultWriter ──ring──▶ …
 *   once a second ─sweep──▶ claim
 *
 * Cast: claims.store (the claim: one statement, and who may go), endpoint-load (how much one endpoint gets), room (how
 * much the process holds), further-looks (past long lines), paced-rings (rates), targets (url and secrets), attempt (one request), result-writer and
 * results.store (bulk marking), retry-schedule, signature.
 * PostgreSQL is the queue: nothing is known here that a restart would lose.
 *
 * It guarantees that
 * - a delivery is in flight at most once: a claim is a lease with a token and an end, by the database's clock, longer
 *   than the longest request; no transaction is open during a request. A process that dies or stalls loses its leases,
 *   another goes on with the same delivery id, and a result that comes after that changes nothing;
 * - the deliveries of one line (one subscription, one aggregate) go one after the other, in the order of `sequence`. Two
 *   exceptions: a head that has waited for its retry for more than a minute, and a gap that is not filled in 45 s;
 * - endpoints do not share slots: a hanging one holds its own few requests, and a claim leaves it out while they last.
 *   Only more hanging endpoints than `requestsInFlight` / `requestsPerEndpoint`, all at once, are felt by others, for
 *   one time-out, until their slots are halved;
 * - a long line that is held up hides no other objects of its endpoint, up to FAR_LOOK_ROWS due deliveries;
 * - a subscription or delivery with a value that the database refuses holds up no other (withheld-endpoints, result-writer);
 * - whatever the doorbell misses (a due retry, an ended lease, another replica's event) the sweep finds in a second.
 */
import { randomUUID } from 'node:crypto';
import type { Egress } from '@offizin/egress/send';
import type { Database } from '@offizin/pg/database';
import { WakeSignal } from '@offizin/runtime/wake-signal';
import { errorFields, log } from '@offizin/runtime/log';
import { outsideTraces } from '@offizin/runtime/tracing';
import { attemptDelivery } from './attempt';
import { type ClaimedDelivery, dueSubscriptions } from './claims.store';
import { countAttempt, logAttempt } from './attempt-report';
import { type EndpointLoad, EndpointLoads } from './endpoint-load';
import { BRIEF_SCAN_ROWS, DeepScan } from './deep-scan';
import { ResultWriter } from './result-writer';
import { RateTimers } from './rate-timers';
import { RequestsInFlight } from './requests-in-flight';
import { LeaseRelease } from './lease-release';
import { ClaimBudget } from './claim-budget';
import type { Target, Targets } from './targets.store';
import { WithheldEndpoints } from './withheld-endpoints';

export interface EngineOptions {
  database: Database;
  egress: Egress;
  targets: Targets;
  requestsPerEndpoint: number;
  requestsInFlight: number;
  /** A subscription was switched off and an event about it stands in the outbox. */
  onSwitchedOff: () => void;
  requestTimeoutMs?: number;
  leaseMs?: number;
}

/** Source of both: decisions.md section 8. The lease leaves room for waiting in memory and for writing the result. */
const REQUEST_TIMEOUT_MS = 15_000;
const LEASE_MS = 60_000;
/** What must be left of a lease beyond the request's time-out when a request starts. */
const LEASE_RESERVE_MS = 5_000;

const SWEEP_MS = 1_000;
/** Rows that one claim aims at, shared by the endpoints that rang. More per claim gains nothing (measured). */
const CLAIM_ROWS = 400;
const MIN_ROWS_PER_ENDPOINT = 8;
const MAX_ENDPOINTS_PER_CLAIM = 100;

/** A claimed delivery in memory. */
interface Work {
  delivery: ClaimedDelivery;
  leaseToken: string;
  /** Both by performance.now(), which also goes on while the process is stopped by a signal. */
  claimedAtMs: number;
  startBeforeMs: number;
}

export class DeliveryEngine {
  private readonly endpoints: EndpointLoads<Work>;
  private readonly woken = new Set<string>();
  /** Claimed for just now by the ring's lane or by the sweep; the other one leaves them alone. */
  private readonly claiming = new Set<string>();
  private readonly further: DeepScan;
  private readonly withheld: WithheldEndpoints;
  private readonly paced = new RateTimers((ids) => this.wake(ids));
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly writer: ResultWriter;
  private readonly room: ClaimBudget;
  private readonly returned: LeaseRelease;
  private readonly inFlight: RequestsInFlight;
  private answering = false;
  private stopped = false;
  private sweeping: Promise<void> = Promise.resolve();
  private readonly sweepSignal = new WakeSignal();

  constructor(private readonly options: EngineOptions) {
    const { database, onSwitchedOff, requestsInFlight, requestsPerEndpoint } = options;
    this.endpoints = new EndpointLoads(requestsPerEndpoint);
    this.further = new DeepScan(database, (ids, rows) => this.sweepSome(ids, rows));
    this.returned = new LeaseRelease(database);
    this.withheld = new WithheldEndpoints(database);
    this.inFlight = new RequestsInFlight(requestsInFlight, (id) => this.startWork(id));
    this.writer = new ResultWriter({
      ...{ database, onSwitchedOff },
      onWritten: (ids) => {
        this.room.look();
        this.wake(ids);
      },
    });
    this.room = new ClaimBudget(() => this.writer.backlog);
  }

  start(): void {
    this.further.start();
    this.sweeping = this.sweep();
  }

  /** For readiness: which subscriptions get nothing for a reason of ours, or null. */
  notice(): Promise<string | null> {
    const notices = [this.withheld.notice(), this.options.targets.notice()].filter((one) => one !== null);
    return Promise.resolve(notices.length === 0 ? null : notices.join('; '));
  }

  /** Something may be due for these subscriptions. Returns at once. */
  wake(subscriptionIds: Iterable<string>): void {
    for (const id of subscriptionIds) this.woken.add(id);
    void outsideTraces(() => this.answerRings());
  }

  /** Claims no more, gives back what was not sent, waits for what is in flight and writes its results. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.sweepSignal.wake();
    this.room.close();
    this.paced.stop();
    await Promise.all([this.sweeping, this.further.stop()]);
    this.giveBackWaiting(this.endpoints.takeAll());
    await this.inFlight.empty();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    await this.returned.drain();
    await this.writer.drain();
  }

  /** One claim at a time; what rings in the meantime goes into the next one together. */
  private async answerRings(): Promise<void> {
    if (this.answering) return;
    this.answering = true;
    try {
      for (;;) {
        await this.room.enter();
        if (this.stopped) break;
        const wanted = this.takeRung();
        if (wanted.size === 0) break;
        await this.track(this.claim(wanted, BRIEF_SCAN_ROWS));
      }
    } catch (error) {
      log.warn(errorFields(error), 'claim failed: the sweep goes on with it');
    } finally {
      this.answering = false;
    }
  }

  private takeRung(): Map<string, number> {
    const wanted = new Map<string, number>();
    const share = shareOf(this.woken.size);
    for (const id of this.woken) {
      if (wanted.size === MAX_ENDPOINTS_PER_CLAIM) break;
      if (this.claiming.has(id)) continue;
      this.woken.delete(id);
      this.askFor(wanted, id, share);
    }
    return wanted;
  }

  private askFor(wanted: Map<string, number>, id: string, atMost: number): void {
    if (this.withheld.has(id)) return;
    const load = this.endpoints.of(id);
    const count = Math.min(load.wanted, atMost);
    if (count > 0) wanted.set(id, count);
    // Claimed for when it is hungry.
    else load.mayHaveMore = true;
  }

  private async sweep(): Promise<void> {
    while (!this.stopped) {
      try {
        const due = await dueSubscriptions(this.options.database);
        for (let at = 0; at < due.length && !this.stopped; at += MAX_ENDPOINTS_PER_CLAIM)
          await this.sweepSome(due.slice(at, at + MAX_ENDPOINTS_PER_CLAIM), BRIEF_SCAN_ROWS);
        this.endpoints.forgetIdle(this.claiming);
      } catch (error) {
        log.warn(errorFields(error), 'sweep failed: it goes on in a second');
      }
      if (!this.stopped) await this.sweepSignal.pause(SWEEP_MS);
    }
  }

  private async sweepSome(due: readonly string[], rows: number): Promise<void> {
    await this.room.enter();
    const wanted = new Map<string, number>();
    for (const id of due)
      // Claimed for at this moment: that may be by a look which does not reach as far.
      if (this.claiming.has(id)) this.further.add(id);
      else this.askFor(wanted, id, shareOf(due.length));
    if (wanted.size === 0) return;
    await this.track(this.claim(wanted, rows));
    // What rang meanwhile for these endpoints was left out by the other lane.
    void this.answerRings();
  }

  private async claim(wanted: ReadonlyMap<string, number>, scanRows: number): Promise<void> {
    const { targets, leaseMs = LEASE_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.options;
    const leaseToken = randomUUID();
    const startBeforeMs = performance.now() + leaseMs - requestTimeoutMs - LEASE_RESERVE_MS;
    for (const id of wanted.keys()) this.claiming.add(id);
    try {
      const found = await this.withheld.claim({ wanted, scanRows, leaseToken, leaseMs });
      const claimedAtMs = performance.now();
      await targets.load([...found.values()].flatMap(([first]) => first ?? []));
      for (const [id, count] of wanted) {
        const claimed = found.get(id) ?? [];
        const load = this.endpoints.of(id);
        load.mayHaveMore = claimed.length === count;
        if (claimed.length < count && scanRows === BRIEF_SCAN_ROWS) this.further.add(id);
        load.add(claimed.map((delivery) => ({ delivery, leaseToken, claimedAtMs, startBeforeMs })));
        this.room.claimed(claimed.length);
        if (!this.stopped) this.paced.ringAfter(id, claimed);
      }
    } finally {
      for (const id of wanted.keys()) this.claiming.delete(id);
    }
    for (const id of wanted.keys()) this.startWork(id);
  }

  /** Starts what slots allow. */
  private startWork(id: string): void {
    const load = this.endpoints.of(id);
    if (this.stopped) return this.giveBackWaiting(load.takeAll());
    const stale: Work[] = [];
    while (this.inFlight.hasRoom(load.isSlow)) {
      const work = load.start();
      if (!work) return this.returned.add(stale);
      this.room.left(1);
      const target = this.options.targets.get(id);
      if (target && performance.now() < work.startBeforeMs) {
        void this.attempt(load, work, target);
        continue;
      }
      load.skip();
      // Without a target the lease is left to end by itself, so that it is not claimed again at once.
      if (target) stale.push(work);
    }
    this.inFlight.starve(id);
    this.returned.add(stale);
  }

  private async attempt(load: EndpointLoad<Work>, work: Work, target: Target): Promise<void> {
    const { delivery, leaseToken, claimedAtMs } = work;
    const { egress, requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS } = this.options;
    const startedAtMs = performance.now();
    let answered = false;
    const generation = this.inFlight.begin();
    try {
      const attempted = await attemptDelivery(egress, delivery, target, {
        ...{ leaseToken, timeoutMs, claimedAtMs },
      });
      answered = attempted.result.statusCode !== null;
      logAttempt(delivery, attempted);
      countAttempt(attempted);
      this.writer.add({ ...attempted, delivery });
    } catch (error) {
      // A defect of ours, not of the endpoint: the lease ends by itself, and the delivery is tried again.
      log.error({ delivery_id: delivery.id, ...errorFields(error) }, 'attempt broke off');
    }
    this.inFlight.end(generation);
    load.finish(answered, performance.now() - startedAtMs);
    this.giveBackWaiting(load.takeExcess());
    if (load.isSlow && this.inFlight.hasRoomForSlow) this.startWork(delivery.subscription_id);
    // Behind those that wait: else a few endpoints with much to send would keep all others out.
    else this.inFlight.starve(delivery.subscription_id);
    this.inFlight.letIn();
    if (load.hungry) this.wake([delivery.subscription_id]);
  }

  private giveBackWaiting(works: readonly Work[]): void {
    this.room.left(works.length);
    this.returned.add(works);
  }

  private async track<T>(work: Promise<T>): Promise<T> {
    this.underWay.add(work);
    return work.finally(() => this.underWay.delete(work));
  }
}

/** Rows for each of so many endpoints. */
function shareOf(endpoints: number): number {
  return Math.max(MIN_ROWS_PER_ENDPOINT, Math.floor(CLAIM_ROWS / Math.max(1, endpoints)));
}
