import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppName, appNames } from './apps';
import { freePorts, isFree, portOf } from './ports';
import { hasErrorCode, identityOf, isSameProcess } from './process-identity';

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

/** Throws one sentence that names every occupied port, and the variables. */
export async function refuseTakenPorts(ports: StackPorts): Promise<void> {
  const wanted: [string, number | undefined][] = [
    ['GATEWAY_PORT', ports.gateway],
    ['CONNECTOR_PORT', ports['connector-edge']],
    ['ORDER_CORE_PORT', ports['order-core']],
    ...appNames.map((app): [string, number] => ['MANAGEMENT_PORT_BASE', ports.management[app]]),
    ['POSTGRES_PORT', ports.postgres],
    ['NATS_PORT', ports.nats],
  ];
  const taken = new Map<number, string>();
  const seen = new Set<number>();
  for (const [variable, port] of wanted) {
    if (port === undefined) continue;
    if (seen.has(port)) throw new Error(`Port ${port} is wanted twice. Change it by ${variable}.`);
    if (!(await isFree(port))) taken.set(port, variable);
    seen.add(port);
  }
  if (taken.size === 0) return;
  const numbers = [...taken.keys()].join(', ');
  const variables = [...new Set(taken.values())].join(', ');
  const are = taken.size === 1 ? `Port ${numbers} is` : `Ports ${numbers} are`;
  throw new Error(`${are} taken, perhaps by another stack: stop it, or set ${variables} to another number.`);
}

function managementPorts(ports: number[]): Record<AppName, number> {
  return Object.fromEntries(appNames.map((app, index) => [app, ports[index]])) as Record<AppName, number>;
}

/**
 * Locks a data folder: `<dataDir>/stack.pid` holds the process id and start time of the owner. Returns the
 * function that releases it.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const lock = join(dataDir, 'stack.pid');
  const own = identityOf(process.pid);
  const draft = `${lock}.${process.pid}`;
  // Written elsewhere and then linked, so that a partial lock is never visible.
  writeFileSync(draft, `${own?.pid}\n${own?.startedAt}\n`);
  try {
    if (!linked(draft, lock)) {
      refuseIfAlive(lock, dataDir);
      removeStale(lock, dataDir);
      if (!linked(draft, lock)) throw new Error(`Another stack on ${dataDir} is starting at this moment.`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

function linked(draft: string, lock: string): boolean {
  try {
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function refuseIfAlive(lock: string, dataDir: string): void {
  const [pid = '', startedAt = ''] = readFileSync(lock, 'utf8').split('\n');
  if (!isSameProcess({ pid: Number(pid), startedAt })) return;
  throw new Error(
    `Another stack (pid ${pid}) runs on ${dataDir}. Stop it (kill ${pid}), or set OFFIZIN_DATA_DIR to another ` +
      'folder and choose other ports.',
  );
}

/** A rename removes exactly one lock file, so only one of two racing processes can succeed. */
function removeStale(lock: string, dataDir: string): void {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return; // Another process has just taken it away; linking our own decides.
  }
  try {
    refuseIfAlive(aside, dataDir);
  } catch (error) {
    linked(aside, lock);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
