import type { Caller } from '@offizin/contracts/calls/caller';
import type { Operation } from '@offizin/contracts/calls/operation';
import { operationsOf } from '@offizin/contracts/operations';
import type { ReceivedCall } from '@offizin/operations/serve-operation';
import { webhookWorkerShares } from './shares';

const CALLS = 200;

/** Operations of the worker of which not all calls start immediately. */
async function limited(): Promise<string[]> {
  const names = await Promise.all(
    operationsOf('webhook-worker').map(async (op) => ((await startedOf(op)) < CALLS ? [op.name] : [])),
  );
  return names.flat().sort();
}

async function startedOf(op: Operation): Promise<number> {
  const ends: (() => void)[] = [];
  let isOver = false;
  const around = webhookWorkerShares(16).around(
    () =>
      new Promise((resolve) => {
        const end = () => resolve({ status: 200, headers: {}, body: '' });
        if (isOver) end();
        else ends.push(end);
      }),
  );
  const calls = Array.from({ length: CALLS }, () =>
    around(op, received(), () => Promise.reject(new Error())),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const started = ends.length;
  isOver = true;
  for (const end of ends) end();
  await Promise.all(calls);
  return started;
}

function received(): ReceivedCall {
  const caller: Caller = {
    kind: 'key',
    orgId: 'greedy',
    shopId: null,
    actorId: 'k',
    scopes: [],
    requestId: 'r',
  };
  return { caller, params: {}, queryString: '', headers: {}, body: Buffer.alloc(0) };
}

it('shares the time of the database among organizations where a call reads a history', async () => {
  expect(await limited()).toEqual([
    'webhook-deliveries.list',
    'webhooks.deliveries',
    'webhooks.missed',
    'webhooks.recover',
    'webhooks.stats',
  ]);
});
