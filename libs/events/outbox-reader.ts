import type { Client } from 'pg';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { OutboxRow } from './outbox';

export type OutboxRecord = Omit<OutboxRow, 'created_at' | 'published_at'>;

export function eventOf(row: OutboxRecord): OutboxEvent {
  const { id, org_id: orgId, event_type: eventType, aggregate_id: aggregateId, sequence, topic, body } = row;
  const { traceparent, integration_id: integrationId } = row;
  const event = { id, orgId, eventType, aggregateId, sequence, topic, body, traceparent };
  return integrationId === null ? event : { ...event, integrationId };
}

const COLUMNS =
  'id, position, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id';
/** They limit the queries of pg_locks. */
const NOTE_MS = 1_000;
const ENDED_MS = 20;
const MISSED_AFTER_SECONDS = 60;

/** An appending transaction takes this lock before its position is assigned, and holds it until its end is visible. */
const WRITERS = `FROM pg_locks WHERE locktype = 'relation' AND granted AND mode = 'RowExclusiveLock'
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Reads the rows to publish, by full scans or incrementally (decision 0023). Either read finds every row committed
 * before it. Within one object no row is found without the earlier ones: the appending transaction locks the object's
 * row, so positions rise in commit order.
 */
export class OutboxReader {
  /** Published rows whose `published_at` the next statement sets. */
  private unwritten: string[] = [];
  private gaps: OutboxPositions | null = null;
  /** Incremental reads may start here once these writers have ended. */
  private start: { position: number; writers: string[] } | null = null;
  private queriedAtMs = 0;

  constructor(
    private readonly client: Client,
    private readonly schema: string,
  ) {}

  get isIncremental(): boolean {
    return this.gaps !== null;
  }

  get hasUnwritten(): boolean {
    return this.unwritten.length > 0;
  }

  notePublished(ids: readonly string[]): void {
    this.unwritten.push(...ids);
  }

  /** Returns to full scans. `published`: rows that were published without `published_at`. */
  startOver(published: readonly string[]): void {
    this.gaps = null;
    this.start = null;
    this.notePublished(published);
  }

  /** The oldest rows by position. Only full scans leave out the objects in `stuck`. */
  async next(stuck: readonly string[], limit: number): Promise<OutboxRecord[]> {
    return this.gaps ? this.readIncrement(this.gaps, limit) : this.fullScan(stuck, limit);
  }

  async writePublished(): Promise<void> {
    if (this.unwritten.length > 0) await this.fullScan([], 0);
  }

  /**
   * Switches to incremental reads at a position below which every row has `published_at` and none can appear. Call
   * between full scans.
   */
  async settle(): Promise<void> {
    if (this.gaps) return;
    if (this.start === null) {
      if (!this.isDue(NOTE_MS)) return;
      const position = await this.newestPosition();
      this.start = { position, writers: await this.openWriters() };
    } else if (this.isDue(ENDED_MS) && (await this.haveEnded(this.start.writers))) {
      await this.writePublished();
      if (await this.isUnpublishedUpTo(this.start.position)) return;
      this.gaps = new OutboxPositions(this.start.position);
      this.start = null;
    }
  }

  /** The SELECT does not see the UPDATE of the same statement, so it excludes the published rows by id. */
  private async fullScan(stuck: readonly string[], limit: number): Promise<OutboxRecord[]> {
    const { rows } = await this.client.query<OutboxRecord>({
      name: 'outbox_publish_and_scan',
      text: `WITH published AS (
               UPDATE ${this.schema}.outbox SET published_at = now() WHERE id = ANY ($1::uuid[])
             )
             SELECT ${COLUMNS} FROM ${this.schema}.outbox
             WHERE published_at IS NULL AND id <> ALL ($1::uuid[]) AND aggregate_id <> ALL ($2::text[])
             ORDER BY position LIMIT $3`,
      values: [this.unwritten, stuck, limit],
    });
    this.unwritten = [];
    return rows;
  }

  private async readIncrement(gaps: OutboxPositions, limit: number): Promise<OutboxRecord[]> {
    await this.writePublished();
    if (gaps.size > 0 && this.isDue(NOTE_MS)) {
      if (!gaps.isWatched) gaps.watch(await this.openWriters());
      else if (await this.haveEnded(gaps.watchedWriters)) gaps.closeAfterNextRead();
    }
    const { rows } = await this.client.query<OutboxRecord>({
      name: 'outbox_read_incremental',
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

  /** A query of pg_locks costs more than an incremental read. */
  private isDue(afterMs: number): boolean {
    if (performance.now() - this.queriedAtMs < afterMs) return false;
    this.queriedAtMs = performance.now();
    return true;
  }

  /**
   * True if an old row still lacks `published_at`, for example after the sequence was set back. It would wait for the
   * next leader.
   */
  async hasMissedRows(): Promise<boolean> {
    const { rows } = await this.client.query(
      `SELECT FROM ${this.schema}.outbox
       WHERE published_at IS NULL AND created_at < now() - interval '${MISSED_AFTER_SECONDS} seconds' LIMIT 1`,
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

  private async openWriters(): Promise<string[]> {
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

/** Above this a full scan is cheaper. */
const MAX_GAPS = 2_000;

/**
 * The positions that were read: all up to the newest, except the gaps. A gap belongs to a transaction that is open or
 * was rolled back.
 */
export class OutboxPositions {
  private readonly open = new Set<number>();
  private watched: { positions: number[]; writers: readonly string[]; haveEnded: boolean } | null = null;

  constructor(public newest: number) {}

  get size(): number {
    return this.open.size;
  }

  positions(): number[] {
    return [...this.open];
  }

  get isWatched(): boolean {
    return this.watched !== null;
  }

  get watchedWriters(): readonly string[] {
    return this.watched?.writers ?? [];
  }

  /** `writers` are the open transactions: every current gap belongs to one of them or was rolled back. */
  watch(writers: readonly string[]): void {
    this.watched = { positions: this.positions(), writers, haveEnded: false };
  }

  /** The watched writers have ended: gaps that the next read does not fill stay empty. */
  closeAfterNextRead(): void {
    if (this.watched) this.watched.haveEnded = true;
  }

  /** Takes the positions of one read, ascending. False when there are too many gaps. */
  see(positions: readonly number[]): boolean {
    for (const position of positions) {
      if (position - this.newest > MAX_GAPS) return false;
      while (this.newest < position) this.open.add(++this.newest);
      this.open.delete(position);
    }
    if (this.watched?.haveEnded) {
      for (const position of this.watched.positions) this.open.delete(position);
      this.watched = null;
    }
    return this.open.size <= MAX_GAPS;
  }
}
