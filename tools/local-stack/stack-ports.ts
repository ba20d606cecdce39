import { appNames } from './apps';
import type { AppName } from './apps';
import { freePorts, isFree, portOf } from './ports';

/** Ports of a stack. PostgreSQL and NATS use free ports by default. */
export interface StackPorts {
  gateway: number;
  'connector-edge': number;
  'order-core': number;
  management: Record<AppName, number>;
  postgres?: number;
  nats?: number;
}

/** Default 3000, 3001, 3010 and 9100 to 9104; each can be set by its environment variable. */
export function portsFromEnvironment(environment: NodeJS.ProcessEnv = process.env): StackPorts {
  const base = portOf('MANAGEMENT_PORT_BASE', 9100, environment);
  return {
    gateway: portOf('GATEWAY_PORT', 3000, environment),
    'connector-edge': portOf('CONNECTOR_PORT', 3001, environment),
    'order-core': portOf('ORDER_CORE_PORT', 3010, environment),
    management: managementPorts(appNames.map((_, index) => base + index)),
    postgres: portOf('POSTGRES_PORT', undefined, environment),
    nats: portOf('NATS_PORT', undefined, environment),
  };
}

/** Free ports for all listeners, for tests. */
export async function freeStackPorts(): Promise<StackPorts> {
  const [gateway = 0, connectorEdge = 0, orderCore = 0, ...management] = await freePorts(3 + appNames.length);
  return {
    gateway,
    'connector-edge': connectorEdge,
    'order-core': orderCore,
    management: managementPorts(management),
  };
}

/** Throws one error that names every occupied port and its variable. */
export async function refuseTakenPorts(ports: StackPorts): Promise<void> {
  const wanted: [string, number | undefined][] = [
    ['GATEWAY_PORT', ports.gateway],
    ['CONNECTOR_PORT', ports['connector-edge']],
    ['ORDER_CORE_PORT', ports['order-core']],
    ...appNames.map((app): [string, number] => ['MANAGEMENT_PORT_BASE', ports.management[app]]),
    ['POSTGRES_PORT', ports.postgres],
    ['NATS_PORT', ports.nats],
  ];
  const complaints: string[] = [];
  const seen = new Set<number>();
  for (const [variable, port] of wanted) {
    if (port === undefined) continue;
    if (seen.has(port)) complaints.push(`Port ${port} is wanted twice. Change it by ${variable}.`);
    else if (!(await isFree(port))) complaints.push(`Port ${port} is taken. Set ${variable} to another one.`);
    seen.add(port);
  }
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}

function managementPorts(ports: number[]): Record<AppName, number> {
  return Object.fromEntries(appNames.map((app, index) => [app, ports[index]])) as Record<AppName, number>;
}
