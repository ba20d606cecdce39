import { startNats } from './nats';
import type { NatsOptions, NatsServer } from './nats';
import { freePorts } from './ports';

/** The smallest size at which one server may fail. */
export const clusterSize = 3;

/**
 * Starts a NATS cluster of three servers on 127.0.0.1, each with its own folder (`nats-1` to `nats-3`). Resolves
 * when they have elected a leader; stops all on failure.
 */
export async function startNatsCluster(options: Omit<NatsOptions, 'port' | 'member'>): Promise<NatsServer[]> {
  const clusterPorts = await freePorts(clusterSize);
  const starts = clusterPorts.map((clusterPort, index) =>
    startNats({ ...options, member: { name: `nats-${index + 1}`, clusterPort, clusterPorts } }),
  );
  const results = await Promise.allSettled(starts);
  const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return servers;
  await Promise.all(servers.map((server) => server.process.stop()));
  throw failure.reason;
}
