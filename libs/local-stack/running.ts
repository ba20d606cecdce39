import type { AppName, AppProcess } from './apps';
import type { Balancer } from './balancer';
import type { NatsServer } from './nats';
import type { PostgresServer } from './postgres';

/** Running processes in start order; filled during a start, so that a failed start can stop them. */
export interface Started {
  postgres?: PostgresServer;
  brokers: NatsServer[];
  apps?: Record<AppName, AppProcess>;
  replicas: AppProcess[];
  balancers: Balancer[];
}

/** Edges first, so that no caller meets a partial system; the database last. */
export async function endAll(started: Started, how: 'stop' | 'kill'): Promise<void> {
  const { gateway, 'connector-edge': connectorEdge, ...services } = started.apps ?? {};
  const stages = [
    [...started.replicas, gateway, connectorEdge],
    Object.values(services),
    [...started.brokers.map((broker) => broker.process), started.postgres?.process],
  ];
  // SIGKILL would end only the first PostgreSQL process; SIGQUIT ends all, without a checkpoint.
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
