import { type AppName, appNames, type AppProcess, type AppSettings, createApp, listeningApps } from './apps';
import { freePorts } from './ports';
import { freeStackPorts } from './stack-ports';
import { TcpProxy } from './tcp-proxy';
import type { NatsServer } from './nats';
import type { PostgresServer } from './postgres';

/** Running processes in start order; filled during a start, so that a failed start can stop them. */
export interface Started {
  postgres?: PostgresServer;
  brokers: NatsServer[];
  apps?: Record<AppName, AppProcess>;
  replicas: AppProcess[];
  balancers: TcpProxy[];
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

/** Starts the balancers on the stack's ports; returns the settings of the two instances behind them. */
export async function startBalancers(
  settings: AppSettings,
  started: Started,
): Promise<[AppSettings, AppSettings]> {
  const [first, second] = [await instancePorts(), await instancePorts()];
  for (const app of listeningApps) {
    const replicas = [first.ports[app], second.ports[app]];
    started.balancers.push(await TcpProxy.start(() => replicas, settings.ports[app]));
  }
  const behind = { ...settings, addresses: settings.ports };
  return [
    { ...behind, ports: first.ports },
    { ...behind, ...second },
  ];
}

async function instancePorts(): Promise<Pick<AppSettings, 'ports' | 'management'>> {
  const { management, ...ports } = await freeStackPorts();
  return { ports, management };
}

export async function startReplicas(
  settings: AppSettings,
  limits: { readyLimitMs?: number; signal?: AbortSignal },
  started: Started,
): Promise<void> {
  const replicas = appNames.map((app) => createApp(app, settings, `${app}-2`));
  started.replicas.push(...replicas);
  const results = await Promise.allSettled(
    replicas.map(async (one) => {
      await one.start();
      await one.ready(limits.readyLimitMs ?? 60_000, limits.signal);
    }),
  );
  throwFirstFailure(results);
}

/** Starts one more process of an app on free ports; the app's address stays the same. */
export async function addReplica(
  app: AppName,
  settings: AppSettings,
  started: Started,
  extraEnv: Record<string, string> = {},
): Promise<{ process: AppProcess; port: number }> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  const instance = `${app}-${started.replicas.length + 2}`;
  const process = createApp(
    app,
    {
      ...settings,
      addresses: settings.addresses ?? settings.ports,
      ports: { ...settings.ports, [app]: port },
      management: { ...settings.management, [app]: managementPort },
      extraEnv: { [app]: { ...settings.extraEnv?.[app], ...extraEnv } },
    },
    instance,
  );
  started.replicas.push(process);
  await process.start();
  await process.ready();
  return { process, port };
}
