/**
 * `DeliveryEngine`: sends due deliveries to their endpoints, in order, and records the results.
 *
 *   inbox commit ──wake──▶ lease ──▶ EndpointLoad ──▶ attempt (sign, Egress.send) ──▶ ResultWriter ──wake──▶ …
 *   once a second ─sweep─▶ lease
 *
 * Cast: leases.store (one statement leases due deliveries), requests-in-flight (slots of endpoints, memory of the
 * process), deep-scan (reads past blocked queues), targets.store (URL and secrets), callback-bodies (asks order-core),
 * callback-trials (certification at test shops), attempt (one request), result-writer and results.store (bulk writes), retry-schedule, signature. PostgreSQL holds the
 * queue; a restart loses nothing.
 *
 * Guarantees:
 * - A delivery is in flight at most once. Its lease has a token, ends by the database's clock, and outlasts the longest
 *   request. If a process dies or stalls, its leases end and another process retries under the same delivery id.
 *   A result that arrives after that is discarded. No transaction is open during a request.
 * - Deliveries of one queue (one subscription, one aggregate) go out one at a time, by `sequence`. Two exceptions:
 *   a head that has waited for its retry for more than a minute, and a gap that is not filled in 45 s.
 * - Endpoints do not share slots: a hanging endpoint holds only its own requests. Others are delayed, for one time-out,
 *   only when more than `requestsInFlight` / `requestsPerEndpoint` endpoints hang at the same time.
 * - A long blocked queue hides no other objects of its endpoint, up to DEEP_SCAN_ROWS due deliveries.
 * - A value that the database refuses affects only its subscription or delivery (withheld-endpoints, result-writer).
 * - The sweep finds due work without a wake signal (a retry, an ended lease, another replica's event) in a second.
 */
import { randomUUID } from 'node:crypto';
import type { Egress } from '@offizin/egress/send';
import type { Database, Sql } from '@offizin/pg/database';
import { WakeSignal } from '@offizin/runtime/periodic-work';
import { errorFields, log } from '@offizin/runtime/log';
import { outsideTraces } from '@offizin/runtime/tracing';
import { attemptDelivery } from './attempt';
import { dueSubscriptions, type LeasedDelivery } from './leases.store';
import { reportAttempt } from './attempt-report';
import { type EndpointLoad, EndpointLoads, LeaseBudget, RequestsInFlight } from './requests-in-flight';
import { BRIEF_SCAN_ROWS, DeepScan } from './deep-scan';
import { ResultWriter } from './result-writer';
import type { CallbackBodies } from './callback-bodies';
import type { CallbackTrials } from './callback-trials';
import type { Target, Targets } from './targets.store';
import { WithheldEndpoints } from './withheld-endpoints';
import { releaseDeliveries } from './results.store';

export interface EngineOptions {
  database: Database;
  egress: Egress;
  targets: Targets;
  callbacks: CallbackBodies;
  trials: CallbackTrials;
  requestsPerEndpoint: number;
  requestsInFlight: number;
  /** A subscription was switched off; the outbox holds an event about it. */
  onSwitchedOff: () => void;
  requestTimeoutMs?: number;
  leaseMs?: number;
}

/**
 * The time-out: docs/contract.md#events-and-webhooks. The lease also covers the wait in memory and the write of the
 * result.
 */
const REQUEST_TIMEOUT_MS = 15_000;
const LEASE_MS = 60_000;
/** A request starts only if the lease outlasts its time-out by this much. */
const LEASE_RESERVE_MS = 5_000;

const SWEEP_MS = 1_000;
/** Rows per lease statement, shared by the woken endpoints. */
const LEASE_ROWS = 400;
const MIN_ROWS_PER_ENDPOINT = 8;
const MAX_ENDPOINTS_PER_LEASE = 100;

/** A leased delivery in memory. */
interface Work {
  delivery: LeasedDelivery;
  leaseToken: string;
  /** Both by performance.now(), which also advances while the process is paused. */
  leasedAtMs: number;
  startBeforeMs: number;
}

export class DeliveryEngine {
  private readonly endpoints: EndpointLoads<Work>;
  private readonly woken = new Set<string>();
  /** Subscriptions with a lease statement in flight, by wake or by sweep; the other of the two skips them. */
  private readonly leasing = new Set<string>();
  private readonly deepScan: DeepScan;
  private readonly withheld: WithheldEndpoints;
  private readonly rateTimers = new RateTimers((ids) => this.wake(ids));
  private readonly pendingLeases = new Set<Promise<unknown>>();
  private readonly writer: ResultWriter;
  private readonly budget: LeaseBudget;
  private readonly leaseRelease: LeaseRelease;
  private readonly inFlight: RequestsInFlight;
  private leasingForWoken = false;
  private stopped = false;
  private sweeping: Promise<void> = Promise.resolve();
  private readonly sweepSignal = new WakeSignal();

  constructor(private readonly options: EngineOptions) {
    const { database, onSwitchedOff, requestsInFlight, requestsPerEndpoint } = options;
    this.endpoints = new EndpointLoads(requestsPerEndpoint);
    this.deepScan = new DeepScan(database, (ids, rows) => this.sweepSome(ids, rows));
    this.leaseRelease = new LeaseRelease(database);
    this.withheld = new WithheldEndpoints(database);
    this.inFlight = new RequestsInFlight(requestsInFlight, (id) => this.startWork(id));
    this.writer = new ResultWriter({
      database,
      onSwitchedOff,
      onWritten: (ids) => {
        this.budget.resumeWhenFree();
        this.wake(ids);
      },
    });
    this.budget = new LeaseBudget(() => this.writer.backlog);
  }

  start(): void {
    this.deepScan.start();
    this.sweeping = this.sweep();
  }

  /** For readiness: subscriptions that get no deliveries because of a defect here, or null. */
  notice(): Promise<string | null> {
    const notices = [this.withheld.notice(), this.options.targets.notice()].filter((one) => one !== null);
    return Promise.resolve(notices.length === 0 ? null : notices.join('; '));
  }

  /** Work may be due for these subscriptions. Returns immediately. */
  wake(subscriptionIds: Iterable<string>): void {
    for (const id of subscriptionIds) this.woken.add(id);
    void outsideTraces(() => this.leaseForWoken());
  }

  /** Stops leasing, releases unsent deliveries, waits for requests in flight and writes their results. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.sweepSignal.wake();
    this.budget.close();
    this.rateTimers.stop();
    await Promise.all([this.sweeping, this.deepScan.stop()]);
    this.releaseWaiting(this.endpoints.takeAll());
    await this.inFlight.empty();
    while (this.pendingLeases.size > 0) await Promise.all(this.pendingLeases);
    await this.leaseRelease.drain();
    await this.writer.drain();
  }

  /** One lease statement at a time; subscriptions woken meanwhile share the next one. */
  private async leaseForWoken(): Promise<void> {
    if (this.leasingForWoken) return;
    this.leasingForWoken = true;
    try {
      for (;;) {
        await this.budget.waitForSpace();
        if (this.stopped) break;
        const wanted = this.takeWoken();
        if (wanted.size === 0) break;
        await this.track(this.lease(wanted, BRIEF_SCAN_ROWS));
      }
    } catch (error) {
      log.warn(errorFields(error), 'leasing failed: the next sweep retries');
    } finally {
      this.leasingForWoken = false;
    }
  }

  private takeWoken(): Map<string, number> {
    const wanted = new Map<string, number>();
    const share = shareOf(this.woken.size);
    for (const id of this.woken) {
      if (wanted.size === MAX_ENDPOINTS_PER_LEASE) break;
      if (this.leasing.has(id)) continue;
      this.woken.delete(id);
      this.addWanted(wanted, id, share);
    }
    return wanted;
  }

  private addWanted(wanted: Map<string, number>, id: string, atMost: number): void {
    if (this.withheld.has(id)) return;
    const load = this.endpoints.of(id);
    const count = Math.min(load.wanted, atMost);
    if (count > 0) wanted.set(id, count);
    // `hungry` leases again once slots are free.
    else load.mayHaveMore = true;
  }

  private async sweep(): Promise<void> {
    while (!this.stopped) {
      try {
        const due = await dueSubscriptions(this.options.database);
        for (let at = 0; at < due.length && !this.stopped; at += MAX_ENDPOINTS_PER_LEASE)
          await this.sweepSome(due.slice(at, at + MAX_ENDPOINTS_PER_LEASE), BRIEF_SCAN_ROWS);
        this.endpoints.forgetIdle(this.leasing);
      } catch (error) {
        log.warn(errorFields(error), 'sweep failed: retrying in a second');
      }
      if (!this.stopped) await this.sweepSignal.pause(SWEEP_MS);
    }
  }

  private async sweepSome(due: readonly string[], rows: number): Promise<void> {
    await this.budget.waitForSpace();
    const wanted = new Map<string, number>();
    for (const id of due)
      // The statement in flight may scan fewer rows than this one.
      if (this.leasing.has(id)) this.deepScan.add(id);
      else this.addWanted(wanted, id, shareOf(due.length));
    if (wanted.size === 0) return;
    await this.track(this.lease(wanted, rows));
    // Wakes of these endpoints were skipped while the sweep leased for them.
    void this.leaseForWoken();
  }

  private async lease(wanted: ReadonlyMap<string, number>, scanRows: number): Promise<void> {
    const { targets, leaseMs = LEASE_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.options;
    const leaseToken = randomUUID();
    const startBeforeMs = performance.now() + leaseMs - requestTimeoutMs - LEASE_RESERVE_MS;
    for (const id of wanted.keys()) this.leasing.add(id);
    try {
      const found = await this.withheld.lease({ wanted, scanRows, leaseToken, leaseMs });
      const leasedAtMs = performance.now();
      await targets.load([...found.values()].flatMap(([first]) => first ?? []));
      for (const [id, count] of wanted) {
        const leased = found.get(id) ?? [];
        const load = this.endpoints.of(id);
        load.mayHaveMore = leased.length === count;
        if (leased.length < count && scanRows === BRIEF_SCAN_ROWS) this.deepScan.add(id);
        load.add(leased.map((delivery) => ({ delivery, leaseToken, leasedAtMs, startBeforeMs })));
        this.budget.leased(leased.length);
        if (!this.stopped) this.rateTimers.schedule(id, leased);
      }
    } finally {
      for (const id of wanted.keys()) this.leasing.delete(id);
    }
    for (const id of wanted.keys()) this.startWork(id);
  }

  /** Starts as many attempts as slots allow. */
  private startWork(id: string): void {
    const load = this.endpoints.of(id);
    if (this.stopped) return this.releaseWaiting(load.takeAll());
    const stale: Work[] = [];
    while (this.inFlight.hasRoom(load.isSlow)) {
      const work = load.start();
      if (!work) return this.leaseRelease.add(stale);
      this.budget.release(1);
      const target = this.options.targets.get(id);
      if (target && performance.now() < work.startBeforeMs) {
        void this.attempt(load, work, target);
        continue;
      }
      load.skip();
      // Without a target the lease runs out: a release would cause another lease immediately.
      if (target) stale.push(work);
    }
    this.inFlight.enqueue(id);
    this.leaseRelease.add(stale);
  }

  private async attempt(load: EndpointLoad<Work>, work: Work, target: Target): Promise<void> {
    const { delivery, leaseToken, leasedAtMs } = work;
    const { egress, callbacks, trials, requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS } = this.options;
    const startedAtMs = performance.now();
    let tookMs: number | null = null;
    let answered = false;
    const generation = this.inFlight.begin();
    try {
      const filled = await callbacks.fill(delivery, leaseToken);
      const options = { leaseToken, timeoutMs, leasedAtMs };
      const attempted = filled && (await attemptDelivery(egress, filled, target, options));
      answered = attempted !== null && attempted.result.statusCode !== null;
      tookMs = performance.now() - startedAtMs;
      if (filled && attempted) {
        reportAttempt(delivery, attempted);
        this.writer.add({ ...attempted, delivery });
        // All other attempts end in this tick, before the writer stores their results.
        if (filled.awaited?.length) await trials.follow(filled, target, attempted, options);
      }
    } catch (error) {
      // A defect here, not at the endpoint: the lease runs out, then the delivery is retried.
      log.error({ delivery_id: delivery.id, ...errorFields(error) }, 'attempt failed unexpectedly');
    }
    this.inFlight.end(generation);
    load.finish(answered, tookMs ?? performance.now() - startedAtMs);
    this.releaseWaiting(load.takeExcess());
    if (load.isSlow && this.inFlight.hasRoomForSlow) this.startWork(delivery.subscription_id);
    // Behind the waiting endpoints: otherwise a few with a long backlog would delay the rest.
    else this.inFlight.enqueue(delivery.subscription_id);
    this.inFlight.resumeWaiting();
    if (load.hungry) this.wake([delivery.subscription_id]);
  }

  private releaseWaiting(works: readonly Work[]): void {
    this.budget.release(works.length);
    this.leaseRelease.add(works);
  }

  private async track<T>(work: Promise<T>): Promise<T> {
    this.pendingLeases.add(work);
    return work.finally(() => this.pendingLeases.delete(work));
  }
}

/** Rows to lease per endpoint. */
function shareOf(endpoints: number): number {
  return Math.max(MIN_ROWS_PER_ENDPOINT, Math.floor(LEASE_ROWS / Math.max(1, endpoints)));
}

const PAUSE_MS = 5;

/** Releases unused leases, in batches: an endpoint that becomes slow returns them a few at a time. */
class LeaseRelease {
  private leases: { id: string; leaseToken: string }[] = [];
  private releasing: Promise<void> | null = null;

  constructor(private readonly sql: Sql) {}

  add(works: readonly { delivery: { id: string }; leaseToken: string }[]): void {
    for (const { delivery, leaseToken } of works) this.leases.push({ id: delivery.id, leaseToken });
    if (this.leases.length > 0) this.releasing ??= this.release().finally(() => (this.releasing = null));
  }

  async drain(): Promise<void> {
    await this.releasing;
  }

  private async release(): Promise<void> {
    while (this.leases.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      await releaseDeliveries(this.sql, this.leases.splice(0)).catch((error: unknown) =>
        log.warn(errorFields(error), 'leases not released: they will run out'),
      );
    }
  }
}

/** Wakes rate-limited endpoints when their rate allows the next delivery. */
class RateTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly wake: (subscriptionIds: string[]) => void) {}

  schedule(id: string, leased: readonly LeasedDelivery[]): void {
    const rate = leased[0]?.rate_per_second;
    if (!rate || this.timers.has(id)) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(id);
        this.wake([id]);
      },
      Math.ceil((1_000 * leased.length) / rate),
    );
    this.timers.set(id, timer);
  }

  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
