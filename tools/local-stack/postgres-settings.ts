import { totalmem } from 'node:os';

/**
 * Settings of PostgreSQL for `npm start`, docker-compose.yml and deploy/chart, with the reason of each.
 * The last two repeat them as arguments, and tools/deploy compares.
 */
const SETTINGS: Record<string, { value: string | ((memoryMb: number) => string); reason: string }> = {
  fsync: { value: 'on', reason: 'acknowledged changes survive a crash' },
  synchronous_commit: { value: 'on', reason: 'the same' },
  full_page_writes: { value: 'on', reason: 'a page that was half written in a crash is restored' },
  max_connections: {
    value: '200',
    reason: 'two replicas of each service, with their pools, and a migration',
  },
  log_min_error_statement: { value: 'panic', reason: 'texts of statements may be health data' },
  log_error_verbosity: { value: 'terse', reason: 'key values in details may be, too' },
  shared_buffers: {
    value: (memoryMb) => `${Math.round(memoryMb / 4)}MB`,
    reason: 'orders of the last days and all indexes of the lists, without system calls',
  },
  effective_cache_size: {
    value: (memoryMb) => `${Math.round((memoryMb * 3) / 4)}MB`,
    reason: 'the planner expects pages of indexes in memory',
  },
  max_wal_size: {
    value: '2GB',
    reason:
      'fewer checkpoints, after each of which every changed page is logged whole; more would delay a recovery',
  },
  min_wal_size: { value: '512MB', reason: 'log files are used again, not deleted and made' },
  checkpoint_timeout: { value: '15min', reason: 'the same as for max_wal_size, under little load' },
  jit: { value: 'off', reason: 'compiling takes longer than any statement of ours' },
};

/** Memory of the server in docker-compose.yml and deploy/chart. */
export const CONTAINER_MEMORY_MB = 2_048;

export function postgresSettings(memoryMb: number): Record<string, string> {
  const entries = Object.entries(SETTINGS).map(([name, { value }]) => {
    return [name, typeof value === 'string' ? value : value(memoryMb)] as const;
  });
  return Object.fromEntries(entries);
}

/** As arguments of `postgres`, in the order of the table. */
export function postgresArguments(memoryMb: number): string[] {
  return Object.entries(postgresSettings(memoryMb)).map(([name, value]) => `--${name}=${value}`);
}

/** The part of this machine that `npm start` gives its server; the apps and the developer need the rest. */
export function localServerMemoryMb(machineBytes = totalmem()): number {
  return Math.min(Math.max(512, machineBytes / 2 ** 20 / 4), 4_096);
}
