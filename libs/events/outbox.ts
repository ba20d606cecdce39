import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventTopic, EventType, OutboxEvent } from '@offizin/contracts/webhooks/events';
import { storedTraceparent } from '@offizin/runtime/tracing';
import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { timeJson } from '@offizin/pg/json-text';

/** Events are appended in the transaction that caused them. Each service has an outbox in its schema. */
@Entity('outbox')
@Index('outbox_unpublished', ['position'], { where: 'published_at IS NULL' })
export class OutboxRow {
  @PrimaryColumn('uuid') id!: string;
  /** Commits may come in another order, so a plain cursor over it would miss rows. */
  @Column('bigint', { generated: 'increment' }) position!: string;
  @Column('uuid') org_id!: string;
  @Column('text') event_type!: OutboxEvent['eventType'];
  @Column('text') aggregate_id!: string;
  @Column('integer') sequence!: number;
  @Column('text') topic!: EventTopic;
  /** Exactly these bytes are signed and sent. */
  @Column('text') body!: string;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
  @Column('timestamptz', { nullable: true }) published_at!: Date | null;
  /** Of the span that appended the event; the consumer continues its trace. */
  @Column('text', { nullable: true }) traceparent!: string | null;
  /** See OutboxEvent; only order-core sets it. */
  @Column('uuid', { nullable: true }) integration_id!: string | null;
}

export interface NewEvent {
  orgId: string;
  eventType: EventType;
  aggregateId: string;
  sequence: number;
  topic: EventTopic;
  title: string;
  description: string;
  /** Ids and states only, no customer data. */
  metadata: Record<string, unknown>;
  /** See OutboxEvent. */
  integrationId?: string | null;
}

/** PostgreSQL adds the time on append, so events do not depend on the clock of a process. */
export interface UntimedEvent extends Omit<OutboxEvent, 'body'> {
  /** JSON text up to the value of its last field, the time. */
  bodyUpToTime: string;
}

export function buildEvent(event: NewEvent): UntimedEvent {
  const id = newId();
  const { orgId, eventType, aggregateId, sequence, topic, title, description } = event;
  const content = {
    id,
    org_id: orgId,
    event_type: eventType,
    title,
    description,
    metadata: { ...event.metadata, sequence },
  };
  const bodyUpToTime = upToTime(content, 'created_at');
  const { integrationId = null } = event;
  return { id, orgId, eventType, aggregateId, sequence, topic, bodyUpToTime, integrationId };
}

/** For specs. */
export function timedEvent({ bodyUpToTime, ...event }: UntimedEvent, at: Date): OutboxEvent {
  return { ...event, body: `${bodyUpToTime}${JSON.stringify(at)}}` };
}

/** JSON text of a non-empty object, cut off before the value of its last field `time`. */
export function upToTime(content: object, time: string): string {
  return `${JSON.stringify(content).slice(0, -1)},"${time}":`;
}

/** Not now(): the transaction may have waited for a lock, and an event must not precede its cause. */
function bodyOf(upToTimeSql: string): string {
  return `${upToTimeSql} || ${timeJson('clock_timestamp()')} || '}'`;
}

const appendBySchema = new Map<string, ReturnType<typeof makeAppend>>();

function appendOf(schema: string): ReturnType<typeof makeAppend> {
  const known = appendBySchema.get(schema) ?? makeAppend(schema);
  appendBySchema.set(schema, known);
  return known;
}

function makeAppend(schema: string) {
  return {
    one: statement<never, UntimedEvent & { integrationId: string | null; traceparent: string | null }>(
      'outbox_append',
      `INSERT INTO ${schema}.outbox
       (id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id)
     VALUES ($id, $orgId, $eventType, $aggregateId, $sequence, $topic, ${bodyOf('$bodyUpToTime::text')}, $traceparent,
             $integrationId)`,
    ),
    many: statement<
      never,
      {
        ids: string[];
        orgIds: string[];
        eventTypes: string[];
        aggregateIds: string[];
        sequences: number[];
        topics: string[];
        bodies: string[];
        traceparents: (string | null)[];
        integrationIds: (string | null)[];
      }
    >(
      'outbox_append_many',
      `INSERT INTO ${schema}.outbox
       (id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id)
     SELECT e.id, e.org_id, e.event_type, e.aggregate_id, e.sequence, e.topic, ${bodyOf('e.body')},
            e.traceparent, e.integration_id
     FROM unnest($ids::uuid[], $orgIds::uuid[], $eventTypes::text[], $aggregateIds::text[], $sequences::int[],
                 $topics::text[], $bodies::text[], $traceparents::text[], $integrationIds::uuid[])
          WITH ORDINALITY
          AS e(id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id, place)
     ORDER BY e.place`,
    ),
  };
}

export async function appendEvent(tx: Sql, schema: string, event: NewEvent): Promise<void> {
  await appendToOutbox(tx, schema, buildEvent(event));
}

/** In this order, in one round trip. */
export async function appendEvents(tx: Sql, schema: string, events: readonly NewEvent[]): Promise<void> {
  const traceparent = storedTraceparent();
  const built = events.map((event) => ({ ...buildEvent(event), traceparent }));
  await appendTraced(tx, schema, built);
}

/** Of a call that shares its transaction with others: each event continues the trace of its own call. */
export interface TracedEvent extends UntimedEvent {
  traceparent: string | null;
}

/** In this order, in one round trip. */
export async function appendTraced(tx: Sql, schema: string, built: readonly TracedEvent[]): Promise<void> {
  if (built.length === 0) return;
  await tx.rows(appendOf(schema).many, {
    ids: built.map(({ id }) => id),
    orgIds: built.map(({ orgId }) => orgId),
    eventTypes: built.map(({ eventType }) => eventType),
    aggregateIds: built.map(({ aggregateId }) => aggregateId),
    sequences: built.map(({ sequence }) => sequence),
    topics: built.map(({ topic }) => topic),
    bodies: built.map(({ bodyUpToTime }) => bodyUpToTime),
    traceparents: built.map(({ traceparent }) => traceparent),
    integrationIds: built.map(({ integrationId }) => integrationId ?? null),
  });
}

export async function appendToOutbox(tx: Sql, schema: string, event: UntimedEvent): Promise<void> {
  const { integrationId = null } = event;
  await tx.rows(appendOf(schema).one, { ...event, integrationId, traceparent: storedTraceparent() });
}
