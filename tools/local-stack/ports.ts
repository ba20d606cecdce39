import { createServer } from 'node:net';

/**
 * Workers of Jest run beside each other, and each has a slice of the ports. A port stays free until its server listens, so
 * two workers could find the same one.
 */
const slices = 8;
const portsOfSlice = 1_500;
const lowestFreePort = 20_000 + (Number(process.env['JEST_WORKER_ID'] ?? 0) % slices) * portsOfSlice;
const highestFreePort = lowestFreePort + portsOfSlice - 1;
const handedOut = new Set<number>();

/**
 * Free ports on 127.0.0.1, never repeated within a process. They lie below the ephemeral range (32768 and up):
 * otherwise a client socket could occupy the port of a service that is being restarted.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let attempt = 0; found.length < count; attempt++) {
    if (attempt > 5_000) throw new Error(`No free port between ${lowestFreePort} and ${highestFreePort}.`);
    const port = lowestFreePort + Math.floor(Math.random() * portsOfSlice);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    found.push(port);
  }
  return found;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('No free port.');
  return port;
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The port in the environment variable `name`, else `fallback`. Throws unless it is 1 to 65535. */
export function portOf<Fallback extends number | undefined>(
  name: string,
  fallback: Fallback,
  environment: NodeJS.ProcessEnv = process.env,
): number | Fallback {
  const text = environment[name];
  if (text === undefined || text === '') return fallback;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`${name} is "${text}", but must be a port between 1 and 65535.`);
  }
  return port;
}
