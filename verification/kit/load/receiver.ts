import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export type ReceiverQuestion = { listen: number } | { reset: boolean };

export interface Received {
  received: number;
  /** Milliseconds since 1970. */
  firstAtMs: number;
  /** From the event's `created_at` to its last byte here. */
  p50Ms: number;
  p99Ms: number;
}

/** The process of the subscribers, as a measuring process sees it. */
export class Receiver {
  private constructor(
    private readonly child: ChildProcess,
    readonly origins: string[],
  ) {}

  /** With that many origins: a sender keeps connections per origin. */
  static async start(origins: number): Promise<Receiver> {
    const child = fork(join(__dirname, 'receiver-process.js'));
    const ports = await ask<number[]>(child, { listen: origins });
    return new Receiver(
      child,
      ports.map((port) => `http://127.0.0.1:${port}`),
    );
  }

  /** What came since the last reset. */
  async read(reset = false): Promise<Received> {
    return ask<Received>(this.child, { reset });
  }

  stop(): void {
    this.child.kill();
  }
}

async function ask<Answer>(child: ChildProcess, question: ReceiverQuestion): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the receiver ended'));
    child.once('exit', onExit);
    child.once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer as Answer);
    });
    child.send(question);
  });
}
