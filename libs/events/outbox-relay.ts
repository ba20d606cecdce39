import { Client } from 'pg';
import type { OutboxEvent } from '@offizin/contracts/events';
import { WakeSignal } from '@offizin/runtime/wake-signal';
import { errorFields, log } from '@offizin/runtime/log';
import { eventsPublished } from '@offizin/runtime/metrics';
import { groupBy } from './group-by';
import { type AskUnknown, OutboxConfirmations } from './outbox-confirmations';
import { OutboxReader, type OutboxRecord } from './outbox-reader';
import { type Published, publishInOrder } from './outbox-publishing';
import { setOutboxRowAside } from './outbox-refusals';

/**
 * Carries the outbox of one schema to the broker. Cast: `OutboxRelay` (the loop), one dedicated connection that holds
 * an advisory lock and listens for the doorbell, OutboxReader (what to publish), publishInOrder (sending it),
 * OutboxConfirmations (what may go).
 *
 * Guarantees:
 * - One relay per schema works at a time, so the order per aggregate holds. The lock ends with its connection, and the
 *   database ends the connection of a silent leader, so no dead leader blocks the next one.
 * - A row counts as published only after the broker acknowledged it; a crash before that is written repeats it under the
 *   same id. It is written late: by the row's deletion a second later, or by a mark (outbox-reader.ts).
 * - Within one aggregate a later event is not sent before an earlier one is acknowledged.
 * - A row is deleted only when every consumer says that it knows the event, so a wiped broker loses nothing.
 * - A row that can never be published is moved to the table set_aside (outbox-refusals.ts) and holds up no other.
 */
export interface RelayOptions {
  databaseUrl: string;
  schema: string;
  /** Resolves when the broker has acknowledged the event. `Refused`: it can never be published as it is. */
  publish: (event: OutboxEvent) => Promise<void>;
  /** Ids of those of the given events that some consumer of the lane does not know yet. */
  unknown: AskUnknown;
  /** The same, long after they were published; rejects while they may still be on their way. `unknown` unless given. */
  lost?: AskUnknown;
}

const BATCH_ROWS = 500;
/** Truth is polling; the doorbell only makes it quick. */
const POLL_MS = 1_000;
/**
 * From the start of one look to the start of the next. The first ring is answered at once, so an event on a quiet system
 * waits for nobody; under load each look, message and commit on the way to the subscribers serves all that came meanwhile.
 */
const PACE_MS = 4;
/**
 * The same while so many events come: each round of look, message, inbox and commit costs about the same for three events
 * as for fifty, and competes with the next order. Where one caller upserts 350 orders a second, at one pace and the other,
 * in turn: 4.3 -> 3.2 ms of a core per order in all processes, p50 3.0 -> 2.6 ms.
 */
const BUSY_PACE_MS = 16;
const BUSY_PER_SECOND = 300;
/** Looks over which the rate is smoothed: at 200 events a second two or three that come together are no load. */
const RATE_LOOKS = 16;
/** What was published is marked no later than this, when nothing rings. */
const MARK_MS = 20;
const RECONCILE_MS = 30_000;
/** No index leads to what was published; the table is read once for so many rows. */
const RECONCILE_ROWS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
/**
 * The database ends a session that is silent for so long, and with it the leadership: of a leader whose host is gone or
 * that is stopped by a signal. Nothing else would end it for hours. Longer than a batch and a publish that waits 5 s.
 */
const LEADER_SILENCE_SECONDS = 12;
/** With more objects than this refused, and none taken, it is the broker and not the objects. */
const MAX_STUCK = 50;

/**
 * The dedicated connection always wants the index: the table is all but empty when a plan is made, so that reading all
 * of it looks cheap, and long a second later. Compiling what cannot avoid that takes longer than reading.
 */
const SESSION = `SET idle_session_timeout = '${LEADER_SILENCE_SECONDS}s'; SET enable_seqscan = off;
  SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off`;

export class OutboxRelay {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private readonly wakeSignal = new WakeSignal();
  private woken = false;
  private leading = false;
  /** By performance.now(). */
  private lookedAtMs = 0;
  private perSecond = 0;
  /** By performance.now(), too: when it last said that an event is not acknowledged. */
  private toldAtMs = -Infinity;
  private readonly confirmations: OutboxConfirmations;
  private readonly lost: AskUnknown;
  /** By performance.now(): a jump of the clock must not delay the next round. */
  private reconciledAtMs = -Infinity;
  private readonly channel: string;

  constructor(private readonly options: RelayOptions) {
    this.channel = `${options.schema}_outbox`;
    this.confirmations = new OutboxConfirmations(options.unknown);
    this.lost = options.lost ?? options.unknown;
  }

  start(): void {
    this.running = this.run();
  }

  /** Called after a commit that appended. If another replica relays, it finds the row at its next poll or ring. */
  wake(): void {
    this.woken = true;
    this.wakeSignal.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const client = new Client({
        connectionString: this.options.databaseUrl,
        query_timeout: QUERY_TIMEOUT_MS,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
      });
      client.on('error', (error) => log.warn(errorFields(error), 'outbox connection lost'));
      // Only the leader reacts: replicas that rang each other would never stop.
      client.on('notification', () => {
        if (this.leading) this.wake();
      });
      try {
        await client.connect();
        await client.query(SESSION);
        await client.query(`LISTEN ${this.channel}`);
        await this.relayOn(client);
      } catch (error) {
        log.warn({ schema: this.options.schema, ...errorFields(error) }, 'outbox relay starts over');
      }
      await client.end().catch(() => undefined);
      await this.pauseFully(POLL_MS);
    }
  }

  /** Rings do not cut it short: what failed would be tried again at the rate of the orders, and take their time. */
  private async pauseFully(pauseMs: number): Promise<void> {
    const untilMs = performance.now() + pauseMs;
    while (!this.stopped && performance.now() < untilMs) {
      await this.wakeSignal.pause(untilMs - performance.now());
    }
  }

  private async relayOn(client: Client): Promise<void> {
    this.leading = false;
    const looks = new OutboxReader(client, this.options.schema);
    // Of a connection before; whoever led meanwhile may have published them again.
    looks.mark(this.confirmations.takeAll());
    while (!this.stopped) {
      this.leading = this.leading || (await this.tryToLead(client));
      if (this.leading) {
        await this.work(client, looks);
      } else if (this.woken) {
        // Coalesced and outside the caller's transaction, because NOTIFY makes commits queue up.
        this.woken = false;
        await client.query(`NOTIFY ${this.channel}`);
      }
      if (!this.woken) await this.wakeSignal.pause(looks.hasUnmarked ? MARK_MS : POLL_MS);
      await this.keepPace();
    }
    looks.mark(this.confirmations.takeAll());
    await looks.flushMarks();
  }

  private async keepPace(): Promise<void> {
    const paceMs = this.perSecond < BUSY_PER_SECOND ? PACE_MS : BUSY_PACE_MS;
    const leftMs = this.lookedAtMs + paceMs - performance.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }

  private async tryToLead(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ led: boolean }>(
      'SELECT pg_try_advisory_lock(hashtext($1)) AS led',
      [this.channel],
    );
    return rows[0]?.led === true;
  }

  private async work(client: Client, looks: OutboxReader): Promise<void> {
    // Objects whose next event was refused in this round: what they have left must not fill the batches of all others.
    const stuck = new Set<string>();
    let found: number;
    do {
      this.woken = false;
      const sinceLastMs = performance.now() - this.lookedAtMs;
      this.lookedAtMs += sinceLastMs;
      found = await this.publishBatch(client, looks, stuck);
      this.perSecond += ((found * 1_000) / sinceLastMs - this.perSecond) / RATE_LOOKS;
    } while (found >= BATCH_ROWS && stuck.size <= MAX_STUCK && !this.stopped);
    await looks.settle();
    this.confirmations.ask();
    looks.mark(this.confirmations.takeOverdue());
    await this.deleteKnown(client, this.confirmations.takeKnown());
    if (performance.now() - this.reconciledAtMs >= RECONCILE_MS) {
      this.reconciledAtMs = performance.now();
      await this.reconcile(client, looks);
    }
  }

  /** Publishes the oldest rows of objects that are not stuck; resolves with the number of rows that it found. */
  private async publishBatch(client: Client, looks: OutboxReader, stuck: Set<string>): Promise<number> {
    const wasOnward = looks.isOnward;
    const rows = await looks.next([...stuck], BATCH_ROWS);
    const { published, failed, refused } = await publishInOrder(rows, this.options.publish);
    for (const { row } of failed) stuck.add(row.aggregate_id);
    this.tell(failed);
    for (const { row, error } of refused) await setOutboxRowAside(client, this.options.schema, row, error);
    eventsPublished.inc(published.length);
    if (!wasOnward) looks.mark(published.map(({ id }) => id));
    else {
      this.confirmations.add(published);
      const isComplete = looks.isOnward && published.length === rows.length;
      if (!isComplete) looks.startOver(this.confirmations.takeAll());
    }
    const isRefused = rows.length > 0 && published.length === 0 && stuck.size > MAX_STUCK;
    if (isRefused) throw new Error('the broker acknowledges no event');
    return rows.length;
  }

  /** One line a second tells as much as a thousand. */
  private tell([first, ...others]: Published['failed']): void {
    if (!first || performance.now() - this.toldAtMs < POLL_MS) return;
    this.toldAtMs = performance.now();
    const { row, error } = first;
    const line = { schema: this.options.schema, event_id: row.id, other_objects: others.length };
    log.warn({ ...line, ...errorFields(error) }, 'event not acknowledged');
  }

  private async deleteKnown(client: Client, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await client.query({
      name: 'outbox_delete',
      text: `DELETE FROM ${this.options.schema}.outbox WHERE id = ANY($1::uuid[])`,
      values: [ids],
    });
  }

  /** Of what is marked: deletes what every consumer knows, and has the rest published again. */
  private async reconcile(client: Client, looks: OutboxReader): Promise<void> {
    if (looks.isOnward && (await looks.hasOverlooked())) looks.startOver(this.confirmations.takeAll());
    let after = '0';
    for (;;) {
      const { rows } = await client.query<Pick<OutboxRecord, 'id' | 'position' | 'lane'>>(
        `SELECT id, position, lane FROM ${this.options.schema}.outbox
         WHERE published_at < now() - interval '10 seconds' AND position > $1 ORDER BY position LIMIT $2`,
        [after, RECONCILE_ROWS],
      );
      for (let place = 0; place < rows.length && !this.stopped; place += BATCH_ROWS) {
        await this.settle(client, looks, rows.slice(place, place + BATCH_ROWS));
      }
      const last = rows.at(-1);
      if (rows.length < RECONCILE_ROWS || !last || this.stopped) return;
      after = last.position;
    }
  }

  private async settle(
    client: Client,
    looks: OutboxReader,
    rows: Pick<OutboxRecord, 'id' | 'lane'>[],
  ): Promise<void> {
    const unknown = new Set<string>();
    const known: string[] = [];
    for (const [lane, members] of groupBy(rows, (row) => row.lane)) {
      const ids = members.map((row) => row.id);
      // A consumer that cannot be asked, or is behind, leaves the lane as it is, until the next time.
      const answer = await this.lost(lane, ids).catch(() => null);
      if (answer === null) continue;
      for (const id of answer) unknown.add(id);
      known.push(...ids.filter((id) => !unknown.has(id)));
    }
    await this.deleteKnown(client, known);
    if (unknown.size === 0) return;
    log.warn(
      { schema: this.options.schema, events: unknown.size },
      'events that a consumer never saw: publishing again',
    );
    await client.query(
      `UPDATE ${this.options.schema}.outbox SET published_at = NULL WHERE id = ANY($1::uuid[])`,
      [[...unknown]],
    );
    if (looks.isOnward) looks.startOver(this.confirmations.takeAll());
    this.woken = true;
  }
}
