import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { BrokerAddress } from '@offizin/bus/connection';
import { loopback, V8_FLAGS } from '@offizin/local-stack/apps';
import type { Stack } from '@offizin/local-stack/stack';
import type { SqlJob } from './raw-jobs';

/** What a process of the chain needs. Sent between processes, so plain data only. */
export type BareChainRole =
  | { role: 'edge'; broker: BrokerAddress }
  | { role: 'responder'; broker: BrokerAddress; databaseUrl: string; statement: SqlJob['statement'] };

/**
 * The product's chain of processes without its code: HTTP server, NATS, responder, one prepared statement. Holds what a
 * lone caller waits for, which is mostly the hops.
 */
export class BareChain {
  private constructor(
    private readonly processes: readonly ChildProcess[],
    readonly origin: string,
  ) {}

  static async start(stack: Stack, statement: SqlJob['statement']): Promise<BareChain> {
    const { url: natsUrl, user: natsUser = '', password: natsPassword = '' } = stack.natsOperator;
    const broker = { natsUrl, natsUser, natsPassword };
    const [responder] = await startProcess({
      role: 'responder',
      broker,
      databaseUrl: stack.adminDatabaseUrl,
      statement,
    });
    const [edge, port] = await startProcess({ role: 'edge', broker });
    return new BareChain([edge, responder], loopback(port));
  }

  stop(): void {
    for (const process of this.processes) process.kill();
  }
}

async function startProcess(role: BareChainRole): Promise<[ChildProcess, number]> {
  // With the flags of the apps, as the load process has them.
  const child = fork(join(__dirname, 'bare-chain-process.js'), { execArgv: V8_FLAGS });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the ${role.role} of the bare chain ended`)));
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.send(role);
  });
  return [child, port];
}
