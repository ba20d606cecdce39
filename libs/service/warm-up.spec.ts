import { notFound } from '@offizin/contracts/calls/errors';
import type { Operation } from '@offizin/contracts/calls/operation';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import { operationDuration } from '@offizin/runtime/metrics';
import { WARM_UP_CALLS, warmUp } from './warm-up';

const SERVICES = ['order-core', 'catalog', 'webhook-worker'] as const;
const LIMIT_MS = 50;

async function run(
  handler: OperationHandler,
  service: (typeof SERVICES)[number] = 'order-core',
): Promise<Set<string>> {
  const reached = new Set<string>();
  const handlerOf =
    ({ name }: Operation): OperationHandler =>
    (call) => {
      reached.add(name);
      return handler(call);
    };
  await warmUp({ service, handlerOf, around: (_op, _call, answer) => answer(), limitMs: LIMIT_MS });
  return reached;
}

const findsNothing: OperationHandler = () => Promise.reject(notFound('order'));

it.each(SERVICES)('each call of %s is valid, so that it reaches its handler', async (service) => {
  const own = WARM_UP_CALLS.filter(({ op }) => op.service === service).map(({ op }) => op.name);
  expect(own).not.toEqual([]);
  expect([...(await run(findsNothing, service))]).toEqual(own);
});

it('the calls appear in no metric', async () => {
  await run(findsNothing);
  expect((await operationDuration.get()).values).toEqual([]);
});

it('neither a call that fails nor one that hangs stops the start', async () => {
  await expect(run(() => Promise.reject(new Error('the table is missing')))).resolves.toBeDefined();
  await expect(run(() => new Promise(() => undefined))).resolves.toBeDefined();
});
