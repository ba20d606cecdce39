import type { Client } from 'pg';
import type { Refused } from '@offizin/contracts/errors';
import { log } from '@offizin/runtime/log';
import { outboxRowsRefused } from '@offizin/runtime/metrics';
import type { OutboxRecord } from './outbox-reader';
import { storableReason } from './set-aside';

/**
 * Moves a row that can never be published to set_aside, in one statement. The operator can return it
 * (tools/offizin/set-aside).
 */
export async function setOutboxRowAside(
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
