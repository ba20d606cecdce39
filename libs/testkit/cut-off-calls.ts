import { eventually } from './eventually';
import type { HttpAnswer } from './http';
import { TestOrganization } from './organization';
import { untilAnswered } from './race';

type Send = () => Promise<HttpAnswer>;

/**
 * Calls under an Idempotency-Key that are in flight when their service is killed, and are repeated when it is
 * back. Each caller gets the answer to its repeat.
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

  /** The organization with its keyed calls cut off; all others are made normally. */
  of(organization: TestOrganization): TestOrganization {
    return new CutOffOrganization(organization, (key, send) => this.cutOff(key, send));
  }

  async untilThere(count: number): Promise<void> {
    await eventually('all calls to be prepared', () => this.count === count, 60_000);
  }

  /** Runs until the service is killed; a call that was answered earlier is sent again. */
  sendAll(): void {
    for (const send of this.sends.values()) void this.sendUntilKilled(send);
  }

  /** Sends nothing more until `repeatAll`. */
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
    // Its outcome does not matter here: the repeat shows it.
    while (!this.isKilled) await send().catch(() => undefined);
  }

  private async cutOff(key: string, send: Send): Promise<HttpAnswer> {
    this.sends.set(key, send);
    await this.isBack;
    return untilAnswered(send, this.limitMs);
  }
}

class CutOffOrganization extends TestOrganization {
  constructor(
    of: TestOrganization,
    private readonly cutOff: (key: string, send: Send) => Promise<HttpAnswer>,
  ) {
    super(of.urls, of);
    this.token = of.token;
  }

  override async api(...call: Parameters<TestOrganization['api']>): Promise<HttpAnswer> {
    const key = call[3]?.['idempotency-key'];
    const send: Send = () => super.api(...call);
    return key === undefined ? send() : this.cutOff(key, send);
  }
}
