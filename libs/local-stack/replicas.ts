import { appNames, createApp, listeningApps } from './apps';
import type { AppName, AppProcess, AppSettings } from './apps';
import { Balancer } from './balancer';
import { freePorts } from './ports';
import { throwFirstFailure } from './running';
import type { Started } from './running';
import { freeStackPorts } from './stack-ports';

/** Starts the balancers on the stack's ports; returns the settings of the two instances behind them. */
export async function startBalancers(
  settings: AppSettings,
  started: Started,
): Promise<[AppSettings, AppSettings]> {
  const [first, second] = [await instancePorts(), await instancePorts()];
  for (const app of listeningApps)
    started.balancers.push(await Balancer.listen(settings.ports[app], [first.ports[app], second.ports[app]]));
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
