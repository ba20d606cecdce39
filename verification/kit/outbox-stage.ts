import type { EventTopic, OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Database } from '@offizin/pg/database';
import { appendEvents, type NewEvent, OutboxRow } from '@offizin/events/outbox';
import { OutboxRelay, type RelayOptions } from '@offizin/events/outbox-relay';
import { SetAsideRow } from '@offizin/events/set-aside';
import { specDatabase } from './database';

/**
 * An outbox on a real database, with the relays that a test starts; relays are stopped and the table emptied after
 * each test.
 */
export function stageOutbox(): OutboxStage {
  const test = specDatabase({ schema: 'core', entities: [OutboxRow, SetAsideRow], migrations: [] });
  const stage = new OutboxStage(test);
  beforeAll(() => test.database.dataSource.synchronize());
  afterEach(() => stage.clear());
  return stage;
}

export class OutboxStage {
  readonly orgId = '0197a000-0000-7000-8000-000000000001';
  private readonly relays: OutboxRelay[] = [];

  constructor(private readonly test: { readonly database: Database; readonly url: string }) {}

  get database(): Database {
    return this.test.database;
  }

  async clear(): Promise<void> {
    await Promise.all(this.relays.splice(0).map((relay) => relay.stop()));
    await this.sql('TRUNCATE core.outbox, core.set_aside');
  }

  async sql<Row>(text: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.dataSource.query<Row[]>(text, parameters);
  }

  newEvent(aggregateId: string, sequence: number, topic: EventTopic = 'plain'): NewEvent {
    return {
      orgId: this.orgId,
      eventType: 'order_updated',
      aggregateId,
      sequence,
      topic,
      title: 't',
      description: 'd',
      metadata: { order_id: aggregateId },
    };
  }

  async append(...events: NewEvent[]): Promise<void> {
    await this.database.transaction((tx) => appendEvents(tx, 'core', events));
  }

  async unpublished(): Promise<number> {
    return (await this.sql('SELECT id FROM core.outbox WHERE published_at IS NULL')).length;
  }

  /** A running relay; by default the consumers know every event. `publishOne` takes events of a message one by one. */
  startRelay(
    publishOne: (event: OutboxEvent) => Promise<void>,
    unknown: RelayOptions['unknown'] = () => Promise.resolve([]),
    lost = unknown,
  ): OutboxRelay {
    const publish: RelayOptions['publish'] = async (events) => {
      for (const event of events) await publishOne(event);
    };
    return this.startRelayOf({ publish, unknown, lost });
  }

  startRelayOf(options: Pick<RelayOptions, 'publish' | 'unknown' | 'lost'>): OutboxRelay {
    const relay = new OutboxRelay({ databaseUrl: this.test.url, schema: 'core', ...options });
    this.relays.push(relay);
    relay.start();
    return relay;
  }
}

/** A relay that is never started: appended events stay in the outbox, where the specs read them. */
export function silentRelay(schema: string): OutboxRelay {
  const unknown = () => Promise.resolve([]);
  return new OutboxRelay({ databaseUrl: '', schema, publish: () => Promise.resolve(), unknown });
}

/** `<object>/<sequence>` */
export function nameOf(event: OutboxEvent): string {
  return `${event.aggregateId}/${event.sequence}`;
}
