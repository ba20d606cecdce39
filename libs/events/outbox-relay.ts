import { Client } from 'pg';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { WakeSignal } from '@offizin/runtime/periodic-work';
import { errorFields, log } from '@offizin/runtime/log';
import { eventsPublished, outboxRowsRefused } from '@offizin/runtime/metrics';
import type { Refused } from '@offizin/contracts/calls/errors';
import { groupBy, type Published, publishInOrder } from './outbox-publishing';
import { type AskUnknown, OutboxConfirmations } from './outbox-confirmations';
import { OutboxReader, type OutboxRecord } from './outbox-reader';
import { storableReason } from './set-aside';

/**
 * Publishes the outbox of one schema (decisions 0002, 0023). One relay is active, so the order per aggregate
 * holds: its advisory lock ends with its connection, and the database ends a silent session. A crash repeats an event
 * under the same id until its `published_at` or deletion is committed.
 */
export interface RelayOptions {
  databaseUrl: string;
  schema: string;
  /** Of one object and topic, in sequence. Rejects with `Refused` when one of them can never be published. */
  publish: (events: readonly OutboxEvent[]) => Promise<void>;
  unknown: AskUnknown;
  /** For reconciling: rejects while the events may still be in transit. Default: `unknown`. */
  lost?: AskUnknown;
  /** Between two rounds of reconciling. Default 30. */
  reconcileSeconds?: number;
}

const BATCH_ROWS = 500;
/** Polling finds every row; waking only shortens the delay. */
const POLL_MS = 1_000;
/** Minimum time between the starts of two reads. */
const PACE_MS = 4;
/** Under load: the cost of a round hardly depends on its number of events. */
const BUSY_PACE_MS = 16;
const BUSY_PER_SECOND = 300;
/** Smooths the rate, so that a few simultaneous events do not count as load. */
const RATE_READS = 16;
/** Published rows wait at most this long for their `published_at`. */
const WRITE_PUBLISHED_MS = 20;
const RECONCILE_SECONDS = 30;
/** Published rows have no index, so each page scans the table. */
const RECONCILE_ROWS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
/**
 * Ends the leadership of a paused process or lost host; TCP alone would take hours. Must exceed a batch plus a publish
 * timeout.
 */
const LEADER_SILENCE_SECONDS = 12;
/** When more objects than this fail and none succeeds, the broker is at fault. */
const MAX_STUCK = 50;

/**
 * Statements are planned while the table is nearly empty; it grows quickly. The penalty on sequential scans would
 * trigger JIT, which costs more than it saves.
 */
const SESSION = `SET idle_session_timeout = '${LEADER_SILENCE_SECONDS}s'; SET enable_seqscan = off;
  SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off`;

export class OutboxRelay {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private readonly wakeSignal = new WakeSignal();
  private woken = false;
  private leading = false;
  private lookedAtMs = 0;
  private perSecond = 0;
  private loggedAtMs = -Infinity;
  private readonly confirmations: OutboxConfirmations;
  private readonly lost: AskUnknown;
  /** By performance.now(): a jump of the clock cannot delay the next round. */
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

  /** Call after a commit that appended. A relay that does not lead passes the wake-up on. */
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
      // Only the leader reacts: otherwise replicas would notify each other endlessly.
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

  /** Not shortened by wake-ups: otherwise a failure would be retried at the rate of the orders. */
  private async pauseFully(pauseMs: number): Promise<void> {
    const untilMs = performance.now() + pauseMs;
    while (!this.stopped && performance.now() < untilMs) {
      await this.wakeSignal.pause(untilMs - performance.now());
    }
  }

  private async relayOn(client: Client): Promise<void> {
    this.leading = false;
    const reader = new OutboxReader(client, this.options.schema);
    // Published on the previous connection; another leader may have repeated them.
    reader.notePublished(this.confirmations.takeAll());
    while (!this.stopped) {
      this.leading = this.leading || (await this.tryToLead(client));
      if (this.leading) {
        await this.work(client, reader);
      } else if (this.woken) {
        // Coalesced and outside the caller's transaction (decision 0002).
        this.woken = false;
        await client.query(`NOTIFY ${this.channel}`);
      }
      if (!this.woken) await this.wakeSignal.pause(reader.hasUnwritten ? WRITE_PUBLISHED_MS : POLL_MS);
      await this.keepPace();
    }
    reader.notePublished(this.confirmations.takeAll());
    await reader.writePublished();
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

  private async work(client: Client, reader: OutboxReader): Promise<void> {
    // Their remaining events must not fill the batches.
    const stuck = new Set<string>();
    let found: number;
    do {
      this.woken = false;
      const sinceLastMs = performance.now() - this.lookedAtMs;
      this.lookedAtMs += sinceLastMs;
      found = await this.publishBatch(client, reader, stuck);
      this.perSecond += ((found * 1_000) / sinceLastMs - this.perSecond) / RATE_READS;
    } while (found >= BATCH_ROWS && stuck.size <= MAX_STUCK && !this.stopped);
    await reader.settle();
    this.confirmations.ask();
    reader.notePublished(this.confirmations.takeOverdue());
    await this.deleteKnown(client, this.confirmations.takeKnown());
    const { reconcileSeconds = RECONCILE_SECONDS } = this.options;
    if (performance.now() - this.reconciledAtMs >= reconcileSeconds * 1_000) {
      this.reconciledAtMs = performance.now();
      await this.reconcile(client, reader);
    }
  }

  private async publishBatch(client: Client, reader: OutboxReader, stuck: Set<string>): Promise<number> {
    const wasIncremental = reader.isIncremental;
    const rows = await reader.next([...stuck], BATCH_ROWS);
    const { published, failed, refused } = await publishInOrder(rows, this.options.publish);
    for (const { row } of failed) stuck.add(row.aggregate_id);
    this.logFailed(failed);
    for (const { row, error } of refused) await setOutboxRowAside(client, this.options.schema, row, error);
    eventsPublished.inc(published.length);
    if (!wasIncremental) reader.notePublished(published.map(({ id }) => id));
    else {
      this.confirmations.add(published);
      const isComplete = reader.isIncremental && published.length === rows.length;
      if (!isComplete) reader.startOver(this.confirmations.takeAll());
    }
    const isRefused = rows.length > 0 && published.length === 0 && stuck.size > MAX_STUCK;
    if (isRefused) throw new Error('the broker acknowledges no event');
    return rows.length;
  }

  private logFailed([first, ...others]: Published['failed']): void {
    if (!first || performance.now() - this.loggedAtMs < POLL_MS) return;
    this.loggedAtMs = performance.now();
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

  /** Deletes published rows that every consumer knows; the others lose `published_at`, so they are published again. */
  private async reconcile(client: Client, reader: OutboxReader): Promise<void> {
    if (reader.isIncremental && (await reader.hasMissedRows()))
      reader.startOver(this.confirmations.takeAll());
    let after = '0';
    for (;;) {
      const { rows } = await client.query<Pick<OutboxRecord, 'id' | 'position' | 'topic'>>(
        `SELECT id, position, topic FROM ${this.options.schema}.outbox
         WHERE published_at < now() - interval '10 seconds' AND position > $1 ORDER BY position LIMIT $2`,
        [after, RECONCILE_ROWS],
      );
      for (let place = 0; place < rows.length && !this.stopped; place += BATCH_ROWS) {
        await this.settle(client, reader, rows.slice(place, place + BATCH_ROWS));
      }
      const last = rows.at(-1);
      if (rows.length < RECONCILE_ROWS || !last || this.stopped) return;
      after = last.position;
    }
  }

  private async settle(
    client: Client,
    reader: OutboxReader,
    rows: Pick<OutboxRecord, 'id' | 'topic'>[],
  ): Promise<void> {
    const unknown = new Set<string>();
    const known: string[] = [];
    for (const [topic, members] of groupBy(rows, (row) => row.topic)) {
      const ids = members.map((row) => row.id);
      // A consumer is unavailable or behind: the rows stay until the next round.
      const answer = await this.lost(topic, ids).catch(() => null);
      if (answer === null) continue;
      for (const id of answer) unknown.add(id);
      known.push(...ids.filter((id) => !unknown.has(id)));
    }
    await this.deleteKnown(client, known);
    if (unknown.size === 0) return;
    log.warn(
      { schema: this.options.schema, events: unknown.size },
      'events unknown to a consumer: publishing again',
    );
    await client.query(
      `UPDATE ${this.options.schema}.outbox SET published_at = NULL WHERE id = ANY($1::uuid[])`,
      [[...unknown]],
    );
    if (reader.isIncremental) reader.startOver(this.confirmations.takeAll());
    this.woken = true;
  }
}

/**
 * Moves a row that can never be published to set_aside, in one statement. The operator can return it
 * (tools/offizin/set-aside).
 */
async function setOutboxRowAside(
  client: Client,
  schema: string,
  { id, org_id, event_type, topic }: OutboxRecord,
  { message }: Refused,
): Promise<void> {
  await client.query({
    name: 'outbox_set_aside',
    text: `WITH refused AS (DELETE FROM ${schema}.outbox WHERE id = $1 RETURNING *)
           INSERT INTO ${schema}.set_aside (id, kind, subject, event_id, reason, content)
           SELECT 'outbox ' || id, 'outbox', topic, id, $2, convert_to(row_to_json(refused)::text, 'UTF8') FROM refused
           ON CONFLICT (id) DO NOTHING`,
    values: [id, storableReason(message)],
  });
  outboxRowsRefused.inc();
  log.error({ schema, event_id: id, org_id, event_type, topic, reason: message }, 'outbox row set aside');
}
