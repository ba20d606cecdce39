import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@offizin/local-stack/ports';
import type { Stack } from '@offizin/local-stack/stack';

/** The naive gateway and service as running processes. */
export class Naive {
  private constructor(
    private readonly children: ChildProcess[],
    readonly port: number,
  ) {}

  static async start(stack: Stack): Promise<Naive> {
    const { url, user = '', password = '' } = stack.natsOperator;
    const port = await freePort();
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: stack.adminDatabaseUrl,
      PORT: String(port),
      NATS_URL: url,
      NATS_USER: user,
      NATS_PASSWORD: password,
    };
    const children = ['service', 'gateway'].map((part) =>
      fork(join(__dirname, 'naive-process.js'), [part], { env }),
    );
    const naive = new Naive(children, port);
    await Promise.all(children.map(ready)).catch((error: unknown) => {
      naive.stop();
      throw error;
    });
    return naive;
  }

  stop(): void {
    for (const child of this.children) child.kill();
  }
}

async function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the naive service ended with ${code ?? 'a signal'}`)));
  });
}
