import { newId } from '@offizin/pg/ids';
import { SecretEncryption } from '../../../apps/webhook-worker/deliveries/secret-encryption';
import { newSecret } from '../../../apps/webhook-worker/deliveries/signature';
import type { Bench } from '../bench';
import type { Tenant } from './tenants';

/**
 * Gives a tenant exactly these subscriptions. By SQL, because an organization may not have a thousand of them by the
 * API; encrypted as the worker encrypts them.
 */
export async function subscribe(bench: Bench, { orgId }: Tenant, urls: readonly string[]): Promise<void> {
  for (const table of ['deliveries', 'subscriptions']) {
    await bench.sql.query(`DELETE FROM webhooks.${table} WHERE org_id = $1`, [orgId]);
  }
  const box = new SecretEncryption([Buffer.from(bench.stack.secrets.masterKey, 'base64')]);
  const ids = urls.map(() => newId());
  const secrets = ids.map((id) => box.encrypt(id, newSecret()));
  await bench.sql.query(
    `INSERT INTO webhooks.subscriptions (id, org_id, url, secret)
     SELECT id, $1::uuid, url, secret FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS s (id, url, secret)`,
    [orgId, ids, urls, secrets],
  );
}

/** As long as what order-core writes. */
const DESCRIPTION = 'Order 4711: pending -> shipped '.padEnd(180, '.');

/**
 * Events with one delivery each, spread over the tenant's subscriptions; all due now. Ids of version 7, as all events
 * have: retention goes by them, and takes one of another version for an old event.
 */
export async function makeDue(bench: Bench, { orgId }: Tenant, count: number): Promise<void> {
  await bench.sql.query(
    `WITH subscription AS (
       SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total
       FROM webhooks.subscriptions WHERE org_id = $1
     ), event AS (
       INSERT INTO webhooks.events (id, org_id, event_type, aggregate_id, sequence, body, created_at)
       SELECT id, $1, 'order_status_updated', id::text, 1, json_build_object('id', id, 'org_id', $1,
         'event_type', 'order_status_updated', 'title', 'Order status updated', 'description', $3::text,
         'metadata', json_build_object('order_id', id, 'sequence', 1))::text, now()
       FROM (SELECT webhooks.uuid_v7() AS id FROM generate_series(1, $2)) made
       RETURNING id, event_type
     ), numbered AS (
       SELECT id, event_type, row_number() OVER () AS place FROM event
     )
     INSERT INTO webhooks.deliveries
       (id, subscription_id, event_id, org_id, event_type, aggregate_id, queue, sequence)
     SELECT webhooks.uuid_v7(), s.id, e.id, $1, e.event_type, e.id::text,
       webhooks.queue_of(s.id, e.id::text), 1
     FROM numbered e JOIN subscription s ON s.place = e.place % s.total`,
    [orgId, count, DESCRIPTION],
  );
}
