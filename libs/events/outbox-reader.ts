import type { Client } from 'pg';
import type { EventLane, OutboxEvent } from '@offizin/contracts/events';
import { OutboxPositions } from './outbox-positions';

export interface OutboxRecord {
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

export function eventOf(row: OutboxRecord): OutboxEvent {
  const { id, org_id: orgId, event_type: eventType, aggregate_id: aggregateId, sequence, lane, body } = row;
  return { id, orgId, eventType, aggregateId, sequence, lane, body, traceparent: row.traceparent };
}

const COLUMNS = 'id, position, org_id, event_type, aggregate_id, sequence, lane, body, traceparent';
/** Between two looks at who is writing, and between two at whether those have ended before going onward. */
const NOTE_MS = 1_000;
const ENDED_MS = 20;
const OVERLOOKED_AFTER_SECONDS = 60;

/** Who appends holds this lock from before a position is given until the transaction has ended and can be seen. */
const WRITERS = `FROM pg_locks WHERE locktype = 'relation' AND granted AND mode = 'RowExclusiveLock'
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Finds what of an outbox is to be published; for the relay, on its connection.
 *
 * A whole look reads all that is not marked, the oldest first, and marks in the same statement what was published after
 * the look before. It is always right, and it walks over the index entries of all that was published since the last
 * vacuum, which comes once a minute: several hundred µs of a core per look, under load a millisecond.
 *
 * A look onward reads what stands behind the last row that was seen, and the gaps before it; it marks nothing, since
 * nothing of it is read twice: 40 µs. Rows that the consumers know are then deleted without ever having been marked.
 * It begins once a whole look has left nothing, and ends with the first row that is read and not published.
 *
 * Guarantee: a row that is committed is found by the next look of either kind. Within one object a later row is never
 * found without the earlier ones: who appends holds the object's row, so their positions rise with their commits.
 */
export class OutboxReader {
  /** Published and to be marked with the next statement. */
  private unmarked: string[] = [];
  /** What is seen, for looks onward; null while looks are whole. */
  private gaps: OutboxPositions | null = null;
  /** Where looks onward may begin, once all have ended who were writing when it was noted. */
  private start: { position: number; writers: string[] } | null = null;
  private askedAtMs = 0;

  constructor(
    private readonly client: Client,
    private readonly schema: string,
  ) {}

  get isOnward(): boolean {
    return this.gaps !== null;
  }

  get hasUnmarked(): boolean {
    return this.unmarked.length > 0;
  }

  /** To be marked as published. */
  mark(ids: readonly string[]): void {
    this.unmarked.push(...ids);
  }

  /** From here on looks are whole. `published`: what was published without being marked. */
  startOver(published: readonly string[]): void {
    this.gaps = null;
    this.start = null;
    this.mark(published);
  }

  /** The oldest rows, by their positions; of objects that are not stuck, where looks are whole. */
  async next(stuck: readonly string[], limit: number): Promise<OutboxRecord[]> {
    return this.gaps ? this.onward(this.gaps, limit) : this.whole(stuck, limit);
  }

  async flushMarks(): Promise<void> {
    if (this.unmarked.length > 0) await this.whole([], 0);
  }

  /**
   * Called between whole looks: goes onward from a position below which everything is marked and nothing can appear any
   * more, because all have ended who were writing when it was the newest.
   */
  async settle(): Promise<void> {
    if (this.gaps) return;
    if (this.start === null) {
      if (!this.isDue(NOTE_MS)) return;
      const position = await this.newestPosition();
      this.start = { position, writers: await this.writersUnderWay() };
    } else if (this.isDue(ENDED_MS) && (await this.haveEnded(this.start.writers))) {
      await this.flushMarks();
      if (await this.isUnpublishedUpTo(this.start.position)) return;
      this.gaps = new OutboxPositions(this.start.position);
      this.start = null;
    }
  }

  /** The statement sees the rows as they were before it: those that it marks are left out by their ids. */
  private async whole(stuck: readonly string[], limit: number): Promise<OutboxRecord[]> {
    const { rows } = await this.client.query<OutboxRecord>({
      name: 'outbox_mark_and_look',
      text: `WITH marked AS (
               UPDATE ${this.schema}.outbox SET published_at = now() WHERE id = ANY ($1::uuid[])
             )
             SELECT ${COLUMNS} FROM ${this.schema}.outbox
             WHERE published_at IS NULL AND id <> ALL ($1::uuid[]) AND aggregate_id <> ALL ($2::text[])
             ORDER BY position LIMIT $3`,
      values: [this.unmarked, stuck, limit],
    });
    this.unmarked = [];
    return rows;
  }

  private async onward(gaps: OutboxPositions, limit: number): Promise<OutboxRecord[]> {
    await this.flushMarks();
    if (gaps.size > 0 && this.isDue(NOTE_MS)) {
      if (!gaps.isWatched) gaps.watch(await this.writersUnderWay());
      else if (await this.haveEnded(gaps.watchedWriters)) gaps.closeAfterNextLook();
    }
    const { rows } = await this.client.query<OutboxRecord>({
      name: 'outbox_look_onward',
      text: `SELECT ${COLUMNS} FROM ${this.schema}.outbox WHERE published_at IS NULL AND position = ANY ($2::bigint[])
             UNION ALL
             (SELECT ${COLUMNS} FROM ${this.schema}.outbox WHERE published_at IS NULL AND position > $1
              ORDER BY position LIMIT $3)`,
      values: [gaps.newest, gaps.positions(), limit],
    });
    rows.sort((one, other) => Number(one.position) - Number(other.position));
    if (!gaps.see(rows.map(({ position }) => Number(position)))) this.gaps = null;
    return rows;
  }

  /** Asking who writes costs more than a look. */
  private isDue(afterMs: number): boolean {
    if (performance.now() - this.askedAtMs < afterMs) return false;
    this.askedAtMs = performance.now();
    return true;
  }

  /**
   * A row that stands below what was seen and is none of the gaps: whoever set the sequence back would otherwise have
   * its events wait for the next leader. What is published is marked after some seconds at most.
   */
  async hasOverlooked(): Promise<boolean> {
    const { rows } = await this.client.query(
      `SELECT FROM ${this.schema}.outbox
       WHERE published_at IS NULL AND created_at < now() - interval '${OVERLOOKED_AFTER_SECONDS} seconds' LIMIT 1`,
    );
    return rows.length > 0;
  }

  private async isUnpublishedUpTo(position: number): Promise<boolean> {
    const { rows } = await this.client.query(
      `SELECT FROM ${this.schema}.outbox WHERE published_at IS NULL AND position <= $1 LIMIT 1`,
      [position],
    );
    return rows.length > 0;
  }

  private async newestPosition(): Promise<number> {
    const { rows } = await this.client.query<{ position: string }>(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position FROM ${this.schema}.outbox_position_seq`,
    );
    return Number(rows[0]?.position ?? 0);
  }

  private async writersUnderWay(): Promise<string[]> {
    const { rows } = await this.client.query<{ writer: string }>(
      `SELECT DISTINCT virtualtransaction AS writer ${WRITERS} AND relation = '${this.schema}.outbox'::regclass`,
    );
    return rows.map(({ writer }) => writer);
  }

  private async haveEnded(writers: readonly string[]): Promise<boolean> {
    if (writers.length === 0) return true;
    const { rows } = await this.client.query(
      `SELECT ${WRITERS} AND relation = '${this.schema}.outbox'::regclass AND virtualtransaction = ANY ($1::text[]) LIMIT 1`,
      [writers],
    );
    return rows.length === 0;
  }
}
