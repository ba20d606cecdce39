import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AttackJob, FromAttacker, ToAttacker } from './neighbour-process';

/** The greedy organization's process, as the trial sees it. */
export class Neighbour {
  private constructor(
    private readonly child: ChildProcess,
    /** Accepts connections and never answers. */
    readonly silentUrl: string,
    /** Accepts webhooks slowly. */
    readonly sinkUrl: string,
  ) {}

  static async start(): Promise<Neighbour> {
    const child = fork(join(__dirname, 'neighbour-process.js'));
    const ready = await messageOf(child);
    if (ready.kind !== 'ready') throw new Error('the attacking process is not ready');
    return new Neighbour(child, ready.silentUrl, ready.sinkUrl);
  }

  attack(job: AttackJob): void {
    this.tell({ kind: 'start', job });
  }

  /** Resolves with the number of answers by status. */
  async rest(): Promise<Record<string, number>> {
    const stopped = messageOf(this.child);
    this.tell({ kind: 'stop' });
    const message = await stopped;
    return message.kind === 'stopped' ? message.statuses : {};
  }

  close(): void {
    this.child.kill();
  }

  private tell(message: ToAttacker): void {
    this.child.send(message);
  }
}

async function messageOf(child: ChildProcess): Promise<FromAttacker> {
  const [message] = (await once(child, 'message')) as [FromAttacker];
  return message;
}
