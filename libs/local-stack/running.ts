import type { AppName, AppProcess } from './apps';
import type { Balancer } from './balancer';
import type { NatsServer } from './nats';
import type { PostgresServer } from './postgres';

/** What is running, in the order of starting; filled while a start is under way, so that a failure finds it. */
export interface Started {
  postgres?: PostgresServer;
  brokers: NatsServer[];
  apps?: Record<AppName, AppProcess>;
  replicas: AppProcess[];
  balancers: Balancer[];
}

/** Edges first, so that nobody is answered by half a system; the ledger last. */
export async function endAll(started: Started, how: 'stop' | 'kill'): Promise<void> {
  const { gateway, 'connector-edge': connectorEdge, ...services } = started.apps ?? {};
  const stages = [
    [...started.replicas, gateway, connectorEdge],
    Object.values(services),
    [...started.brokers.map((broker) => broker.process), started.postgres?.process],
  ];
  // SIGKILL would reach only the first of PostgreSQL's processes; SIGQUIT ends them all, without a checkpoint.
  const killSignal = (name: string) => (name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  if (how === 'kill') for (const one of stages.flat()) one?.end(killSignal(one.name));
  const results = await Promise.allSettled(started.balancers.map((balancer) => balancer.close()));
  for (const stage of stages)
    results.push(...(await Promise.allSettled(stage.map(async (one) => one?.stop()))));
  throwFirstFailure(results);
}

export function throwFirstFailure(results: PromiseSettledResult<unknown>[]): void {
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
