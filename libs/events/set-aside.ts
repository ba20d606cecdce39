import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { type Sql, statement } from '@offizin/pg/database';

/**
 * What can never be processed; the operator returns it with `offizin set-aside`. No content can make the insert fail
 * (decision 0032).
 */
@Entity('set_aside')
@Index('set_aside_event', ['event_id'], { where: 'event_id IS NOT NULL' })
export class SetAsideRow {
  /** Derived from the content: a repeated message adds no second row. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'set_aside_pkey' }) id!: string;
  @Column('text') kind!: SetAsideKind;
  @Column('text') subject!: string;
  /** Null without an event id that is a UUID. */
  @Column('uuid', { nullable: true }) event_id!: string | null;
  @Column('text') reason!: string;
  @Column('bytea') content!: Buffer;
  @Column('timestamptz', { default: () => 'now()' }) set_aside_at!: Date;
}

export const SET_ASIDE_KINDS = ['message', 'outbox'] as const;
export type SetAsideKind = (typeof SET_ASIDE_KINDS)[number];

export interface UnreadableMessage {
  id: string;
  subject: string;
  eventId: string | null;
  content: Uint8Array;
  reason: string;
}

const MAX_REASON_CHARACTERS = 500;

export async function setMessagesAside(
  sql: Sql,
  schema: string,
  messages: readonly UnreadableMessage[],
): Promise<number> {
  const insert = statement<
    Pick<SetAsideRow, 'id'>,
    {
      ids: string[];
      subjects: string[];
      eventIds: (string | null)[];
      reasons: string[];
      contents: Buffer[];
    }
  >(
    'set_aside_messages',
    `INSERT INTO ${schema}.set_aside (id, kind, subject, event_id, reason, content)
     SELECT message.id, 'message', message.subject, message.event_id, message.reason, message.content
     FROM unnest($ids::text[], $subjects::text[], $eventIds::uuid[], $reasons::text[], $contents::bytea[])
       AS message (id, subject, event_id, reason, content)
     ORDER BY message.id
     ON CONFLICT (id) DO NOTHING RETURNING id`,
  );
  const stored = await sql.rows(insert, {
    ids: messages.map(({ id }) => id),
    subjects: messages.map(({ subject }) => storableReason(subject)),
    eventIds: messages.map(({ eventId }) => eventId),
    reasons: messages.map(({ reason }) => storableReason(reason)),
    contents: messages.map(({ content }) => Buffer.from(content)),
  });
  return stored.length;
}

export function storableReason(text: string): string {
  return text.slice(0, MAX_REASON_CHARACTERS).replaceAll('\0', '\ufffd');
}

export type SetAsideCounts = Record<SetAsideKind, number>;

export async function countSetAside(sql: Sql, schema: string): Promise<SetAsideCounts> {
  const count = statement<Pick<SetAsideRow, 'kind'> & { count: number }, []>(
    'set_aside_count',
    `SELECT kind, count(*)::int AS count FROM ${schema}.set_aside GROUP BY kind`,
  );
  const counts: SetAsideCounts = { message: 0, outbox: 0 };
  for (const row of await sql.rows(count)) counts[row.kind] = row.count;
  return counts;
}

/** For readiness: what the operator must handle, or null. */
export async function setAsideNotice(sql: Sql, schema: string): Promise<string | null> {
  const counts = await countSetAside(sql, schema);
  const found = SET_ASIDE_KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${kind}: ${counts[kind]}`);
  return found.length === 0 ? null : `${found.join(', ')}; see "offizin set-aside"`;
}

export function observeSetAside(sql: Sql, schema: string): void {
  sampleGauges('set_aside', () => countSetAside(sql, schema), [
    {
      name: 'offizin_set_aside_messages',
      help: 'Messages of the stream that are set aside',
      value: ({ message }) => message,
    },
    {
      name: 'offizin_set_aside_outbox_rows',
      help: 'Outbox rows that are set aside',
      value: ({ outbox }) => outbox,
    },
  ]);
}
