import { cpus, totalmem } from 'node:os';
import type { Bench } from './bench';

/** What the figures were measured on, in lines of text. */
export async function describeMachine(bench: Bench): Promise<string[]> {
  const [cpu] = cpus();
  const [server] = await bench.rows<{ server_version: string }>('SHOW server_version');
  const [commit] = await bench.rows<{ synchronous_commit: string }>('SHOW synchronous_commit');
  return [
    `Date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `Machine: ${cpu?.model.trim() ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node.js ${process.versions.node}, PostgreSQL ${server?.server_version ?? '?'} ` +
      `(synchronous_commit = ${commit?.synchronous_commit ?? '?'}), NATS ${await natsVersion(bench)}`,
  ];
}

async function natsVersion(bench: Bench): Promise<string> {
  const info = await bench.natsInfo();
  return info?.version ?? '?';
}
