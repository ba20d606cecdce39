import { rmSync } from 'node:fs';
import type { AuditLogResponse, AuditVerifyResponse } from '@offizin/contracts/reports/audit';
import { queryAt } from '@offizin/local-stack/database-client';
import type { Stack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, SHORT_WAITS, startOwnStack } from '@offizin/testkit/own-stack';
import { type TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** What catalog and webhook-worker did reaches the audit log, whatever dies on the way. Has a separate stack. */
let ownStack: OwnStack;
let stack: Stack;
let platform: TestPlatform;
let own: TestOrganization;

beforeAll(async () => {
  ownStack = await startOwnStack(SHORT_WAITS);
  ({ stack, platform } = ownStack);
  own = await platform.organization();
}, 90_000);
afterAll(() => ownStack.stop(), 60_000);

/** Records that are still in an outbox, published or not. */
async function recordsOnTheirWay(published: boolean): Promise<number> {
  const rows = await queryAt<{ count: number }>(
    stack.adminDatabaseUrl,
    `SELECT count(*)::int AS count FROM (
       SELECT topic, published_at FROM catalog.outbox UNION ALL SELECT topic, published_at FROM webhooks.outbox) outbox
     WHERE topic = 'audit' AND (published_at IS NOT NULL) = ${published}`,
  );
  return rows[0]?.count ?? 0;
}

async function actionsOf(requestId: string): Promise<string[]> {
  const answer = await own.api('GET', '/audit-log?limit=200');
  if (answer.status !== 200) return [];
  const { data } = json<AuditLogResponse>(answer);
  return data.flatMap(({ action, request_id }) => (request_id === requestId ? [action] : []));
}

async function kill(process: {
  kill: (signal: NodeJS.Signals) => void;
  exited: (ms: number) => Promise<boolean>;
}) {
  process.kill('SIGKILL');
  expect(await process.exited(10_000)).toBe(true);
}

it('the store of the broker is wiped, and each process killed, between change and entry: one entry each', async () => {
  const [p1_id = ''] = await platform.catalogProducts(1);
  await own.stock(p1_id, 5);
  const { id } = json<{ id: string }>(await own.api('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' }));
  await eventually('what was done so far', async () => (await recordsOnTheirWay(false)) === 0);

  const { apps, nats } = stack;
  if (!nats) throw new Error('the stack has no broker of its own');
  await kill(apps['order-core']);
  const headers = { 'x-request-id': `outage-${uniqueTag()}` };
  const adjusted = { p1_id, delta: 1, reason: 'received' };
  expect((await own.api('POST', '/inventory/adjust', adjusted, headers)).status).toBe(200);
  expect((await own.api('PUT', `/webhooks/${id}`, { description: 'ERP' }, headers)).status).toBe(200);
  await eventually(
    'both records to be with the broker',
    async () => (await recordsOnTheirWay(false)) === 0 && (await recordsOnTheirWay(true)) >= 2,
  );
  await kill(nats.process);
  rmSync(nats.storeDir, { recursive: true, force: true });
  await Promise.all([kill(apps.catalog), kill(apps['webhook-worker'])]);

  await nats.process.start();
  await nats.process.ready();
  const stopped = [apps['order-core'], apps.catalog, apps['webhook-worker']];
  for (const app of stopped) await app.start();
  for (const app of stopped) await app.ready();
  await eventually(
    'both entries',
    async () => (await actionsOf(headers['x-request-id'])).length >= 2,
    90_000,
  );
  // Forgotten only once order-core confirms that it has them; until then they may come again.
  await eventually('the outboxes to be settled', async () => (await recordsOnTheirWay(true)) === 0, 90_000);
  expect((await actionsOf(headers['x-request-id'])).sort()).toEqual(['inventory.adjust', 'webhook.update']);
  expect(json<AuditVerifyResponse>(await own.api('GET', '/audit-log/verify'))).toMatchObject({
    status: 'ok',
  });
}, 240_000);
