import { eventually } from './eventually';
import { type HttpAnswer, json } from './http';
import { Organization } from './organization';

type Send = () => Promise<HttpAnswer>;

/**
 * Calls under an Idempotency-Key that wait for one another, are sent at once, and are sent again when the service that
 * has been killed under them is back: each caller gets the answer to its repetition.
 */
export class CutOffCalls {
  private readonly sends = new Map<string, Send>();
  private isKilled = false;
  private repeatAllNow: () => void = () => undefined;
  private readonly isBack = new Promise<void>((resolve) => (this.repeatAllNow = resolve));

  constructor(private readonly limitMs: number) {}

  get count(): number {
    return this.sends.size;
  }

  /** The organization, whose calls under a key are cut off; all others are made as they are. */
  of(organization: Organization): Organization {
    return new CutOffOrganization(organization, (key, send) => this.cutOff(key, send));
  }

  async untilThere(count: number): Promise<void> {
    await eventually('all calls to be prepared', () => this.count === count, 60_000);
  }

  /** Until the service is killed: one that was answered before, because the machine is busy, is sent once more. */
  sendAll(): void {
    for (const send of this.sends.values()) void this.sendUntilKilled(send);
  }

  /** From here on nothing is sent before `repeatAll`. */
  killing(): void {
    this.isKilled = true;
  }

  repeatAll(): void {
    this.repeatAllNow();
  }

  repeatOf(key: string): Send {
    const send = this.sends.get(key);
    if (!send) throw new Error('no call was made under this key');
    return send;
  }

  private async sendUntilKilled(send: Send): Promise<void> {
    // What becomes of it in the end is told by its repetition.
    while (!this.isKilled) await send().catch(() => undefined);
  }

  private async cutOff(key: string, send: Send): Promise<HttpAnswer> {
    this.sends.set(key, send);
    await this.isBack;
    return untilAnswered(send, this.limitMs);
  }
}

/** Sends until the answer says what became of the request. */
export async function untilAnswered(send: Send, limitMs: number): Promise<HttpAnswer> {
  return eventually(
    'an answer',
    async () => {
      const answer = await send();
      return answer.status >= 500 || isInProgress(answer) ? null : answer;
    },
    limitMs,
  );
}

function isInProgress(answer: HttpAnswer): boolean {
  return answer.status === 409 && json(answer)['error'] === 'idempotency_in_progress';
}

class CutOffOrganization extends Organization {
  constructor(
    of: Organization,
    private readonly cutOff: (key: string, send: Send) => Promise<HttpAnswer>,
  ) {
    super(of.urls, of);
    this.token = of.token;
  }

  override async api(...call: Parameters<Organization['api']>): Promise<HttpAnswer> {
    const key = call[3]?.['idempotency-key'];
    const send: Send = () => super.api(...call);
    return key === undefined ? send() : this.cutOff(key, send);
  }
}
