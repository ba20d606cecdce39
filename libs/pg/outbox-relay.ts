import { Client } from 'pg';
import type { EventLane, OutboxEvent } from '@offizin/contracts/events';
import { Doorbell } from '@offizin/runtime/doorbell';
import { errorFields, log } from '@offizin/runtime/log';
import { eventsPublished } from '@offizin/runtime/metrics';

/**
 * Carries the outbox of one schema to the broker. Cast: `OutboxRelay` (the loop), one dedicated connection that holds
 * an advisory lock, listens for the doorbell, reads and marks.
 *
 * Guarantees:
 * - one relay per schema works at a time (the lock dies with its connection, and the database ends the connection of a
 *   leader that is silent), so the order per aggregate holds and no dead leader stands in the way;
 * - a row is marked published only after the broker acknowledged it; a crash in between repeats it under the same id.
 *   Marking waits for the next look, which does both in one statement;
 * - within one aggregate a later event is not sent before an earlier one is acknowledged;
 * - a row is deleted only when every consumer says that it knows the event, so a wiped broker loses nothing.
 */
export interface RelayOptions {
  databaseUrl: string;
  schema: string;
  /** Resolves when the broker has acknowledged the event. */
  publish: (event: OutboxEvent) => Promise<void>;
  /** Ids of those of the given events that some consumer of the lane does not know yet. */
  unknown: (lane: EventLane, ids: string[]) => Promise<string[]>;
}

const BATCH_ROWS = 500;
/** Truth is polling; the doorbell only makes it quick. */
const POLL_MS = 1_000;
/**
 * From the start of one look to the start of the next. The first ring is answered at once, so an event on a quiet system
 * waits for nobody; under load each look, message and commit on the way to the subscribers serves all that came meanwhile.
 */
const PACE_MS = 4;
/** What was published is marked no later than this, when nothing rings. */
const MARK_MS = 20;
const RECONCILE_MS = 30_000;
/** No index leads to what was published; the table is read once for so many rows. */
const RECONCILE_ROWS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** A batch goes on for no longer: the leader must show itself to the database before its session counts as idle. */
const BATCH_BUDGET_MS = 4_000;
/**
 * The database ends a session that is silent for so long, and with it the leadership: of a leader whose host is gone or
 * that is stopped by a signal. Nothing else would end it for hours. Longer than a batch and a publish that waits 5 s.
 */
const LEADER_SILENCE_SECONDS = 12;
/** With more objects than this refused, and none taken, it is the broker and not the objects. */
const MAX_STUCK = 50;

interface OutboxRecord {
  id: string;
  position: string;
  org_id: string;
  event_type: OutboxEvent['eventType'];
  aggregate_id: string;
  sequence: number;
  lane: EventLane;
  body: string;
  traceparent: string | null;
}

export class OutboxRelay {
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private readonly doorbell = new Doorbell();
  private rung = false;
  private leading = false;
  private lookedAtMs = 0;
  /** Acknowledged by the broker and not marked yet; lost with the connection, and then published again. */
  private unmarked: string[] = [];
  private reconciledAtMs = 0;
  private readonly channel: string;

  constructor(private readonly options: RelayOptions) {
    this.channel = `${options.schema}_outbox`;
  }

  start(): void {
    this.running = this.run();
  }

  /** Called after a commit that appended. If another replica relays, it finds the row at its next poll or ring. */
  ring(): void {
    this.rung = true;
    this.doorbell.ring();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.ring();
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
        if (this.leading) this.ring();
      });
      try {
        await client.connect();
        await client.query(`SET idle_session_timeout = '${LEADER_SILENCE_SECONDS}s'`);
        await client.query(`LISTEN ${this.channel}`);
        await this.relayOn(client);
      } catch (error) {
        log.warn({ schema: this.options.schema, ...errorFields(error) }, 'outbox relay starts over');
      }
      await client.end().catch(() => undefined);
      if (!this.stopped) await this.doorbell.pause(POLL_MS);
    }
  }

  private async relayOn(client: Client): Promise<void> {
    this.leading = false;
    this.unmarked = [];
    while (!this.stopped) {
      this.leading = this.leading || (await this.tryToLead(client));
      if (this.leading) {
        await this.work(client);
      } else if (this.rung) {
        // Coalesced and outside the caller's transaction, because NOTIFY makes commits queue up.
        this.rung = false;
        await client.query(`NOTIFY ${this.channel}`);
      }
      if (!this.rung) await this.doorbell.pause(this.unmarked.length > 0 ? MARK_MS : POLL_MS);
      await this.keepPace();
    }
    if (this.unmarked.length > 0) await this.markAndLook(client, [], 0);
  }

  private async keepPace(): Promise<void> {
    const leftMs = this.lookedAtMs + PACE_MS - performance.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }

  private async tryToLead(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ led: boolean }>(
      'SELECT pg_try_advisory_lock(hashtext($1)) AS led',
      [this.channel],
    );
    return rows[0]?.led === true;
  }

  private async work(client: Client): Promise<void> {
    // Objects whose next event was refused in this round: what they have left must not fill the batches of all others.
    const stuck = new Set<string>();
    let found: number;
    do {
      this.rung = false;
      this.lookedAtMs = performance.now();
      found = await this.publishBatch(client, stuck);
    } while (found === BATCH_ROWS && stuck.size <= MAX_STUCK && !this.stopped);
    if (Date.now() - this.reconciledAtMs >= RECONCILE_MS) {
      this.reconciledAtMs = Date.now();
      await this.reconcile(client);
    }
  }

  /** Publishes the oldest rows of objects that are not stuck; resolves with the number of rows that it found. */
  private async publishBatch(client: Client, stuck: Set<string>): Promise<number> {
    const rows = await this.markAndLook(client, [...stuck], BATCH_ROWS);
    if (rows.length === 0) return 0;
    const chains = groupBy(rows, (row) => row.aggregate_id);
    const untilMs = performance.now() + BATCH_BUDGET_MS;
    const published = (
      await Promise.all([...chains.values()].map((chain) => this.publishChain(chain, untilMs, stuck)))
    ).flat();
    if (published.length === 0 && stuck.size > MAX_STUCK) throw new Error('the broker acknowledges no event');
    this.unmarked = published;
    eventsPublished.inc(published.length);
    return rows.length;
  }

  /** The statement sees the rows as they were before it: those that it marks are left out by their ids. */
  private async markAndLook(client: Client, stuck: string[], limit: number): Promise<OutboxRecord[]> {
    const { rows } = await client.query<OutboxRecord>({
      name: 'outbox_mark_and_look',
      text: `WITH marked AS (
               UPDATE ${this.options.schema}.outbox SET published_at = now() WHERE id = ANY ($1::uuid[])
             )
             SELECT id, position, org_id, event_type, aggregate_id, sequence, lane, body, traceparent
             FROM ${this.options.schema}.outbox
             WHERE published_at IS NULL AND id <> ALL ($1::uuid[]) AND aggregate_id <> ALL ($2::text[])
             ORDER BY position LIMIT $3`,
      values: [this.unmarked, stuck, limit],
    });
    this.unmarked = [];
    return rows;
  }

  /** Sends the events of one aggregate one after the other; stops at the first that is not acknowledged. */
  private async publishChain(chain: OutboxRecord[], untilMs: number, stuck: Set<string>): Promise<string[]> {
    const published: string[] = [];
    for (const row of chain) {
      if (published.length > 0 && performance.now() > untilMs) break;
      try {
        await this.options.publish(eventOf(row));
      } catch (error) {
        log.warn({ event_id: row.id, ...errorFields(error) }, 'event not acknowledged');
        stuck.add(row.aggregate_id);
        break;
      }
      published.push(row.id);
    }
    return published;
  }

  /** Deletes what every consumer knows, and has the rest published again. */
  private async reconcile(client: Client): Promise<void> {
    let after = '0';
    for (;;) {
      const { rows } = await client.query<Pick<OutboxRecord, 'id' | 'position' | 'lane'>>(
        `SELECT id, position, lane FROM ${this.options.schema}.outbox
         WHERE published_at < now() - interval '10 seconds' AND position > $1 ORDER BY position LIMIT $2`,
        [after, RECONCILE_ROWS],
      );
      for (let place = 0; place < rows.length && !this.stopped; place += BATCH_ROWS) {
        await this.settle(client, rows.slice(place, place + BATCH_ROWS));
      }
      const last = rows.at(-1);
      if (rows.length < RECONCILE_ROWS || !last || this.stopped) return;
      after = last.position;
    }
  }

  private async settle(client: Client, rows: Pick<OutboxRecord, 'id' | 'lane'>[]): Promise<void> {
    const unknown = new Set<string>();
    const known: string[] = [];
    for (const [lane, members] of groupBy(rows, (row) => row.lane)) {
      const ids = members.map((row) => row.id);
      // A consumer that cannot be asked leaves the lane as it is, until the next time.
      const answer = await this.options.unknown(lane, ids).catch(() => null);
      if (answer === null) continue;
      for (const id of answer) unknown.add(id);
      known.push(...ids.filter((id) => !unknown.has(id)));
    }
    await client.query(`DELETE FROM ${this.options.schema}.outbox WHERE id = ANY($1::uuid[])`, [known]);
    if (unknown.size === 0) return;
    log.warn(
      { schema: this.options.schema, events: unknown.size },
      'events that a consumer never saw: publishing again',
    );
    await client.query(
      `UPDATE ${this.options.schema}.outbox SET published_at = NULL WHERE id = ANY($1::uuid[])`,
      [[...unknown]],
    );
    this.rung = true;
  }
}

function eventOf(row: OutboxRecord): OutboxEvent {
  const { id, org_id: orgId, event_type: eventType, aggregate_id: aggregateId, sequence, lane, body } = row;
  return { id, orgId, eventType, aggregateId, sequence, lane, body, traceparent: row.traceparent };
}

function groupBy<T, K extends string>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
