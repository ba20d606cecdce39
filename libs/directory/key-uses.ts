import type { KeyUse } from '@offizin/contracts/people/directory';
import { errorFields, log } from '@offizin/runtime/log';

/**
 * Reports uses of API keys to order-core for `last_used_at`, at most once per key and NOTICE_PAUSE_MS. A lost notice is
 * harmless.
 */
const NOTICE_PAUSE_MS = 60_000;
const FLUSH_MS = 2_000;
/** Further notices wait for the next message. */
export const MAX_USES_PER_MESSAGE = 1_000;

export class KeyUses {
  private readonly noticedAtMs = new Map<string, number>();
  private pending: { keyId: string; atMs: number }[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly tell: (uses: KeyUse[]) => Promise<unknown>,
    /** Monotonic: a wall clock set back would suppress notices for that time. */
    private readonly nowMs: () => number = () => performance.now(),
    private readonly wallClockMs: () => number = Date.now,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.flush();
  }

  note(keyId: string): void {
    const nowMs = this.nowMs();
    const noticedAtMs = this.noticedAtMs.get(keyId);
    if (noticedAtMs !== undefined && nowMs - noticedAtMs < NOTICE_PAUSE_MS) return;
    this.noticedAtMs.set(keyId, nowMs);
    this.pending.push({ keyId, atMs: nowMs });
  }

  async flush(): Promise<void> {
    const uses = this.pending.splice(0, MAX_USES_PER_MESSAGE).map((use) => this.dated(use));
    const oldMs = this.nowMs() - NOTICE_PAUSE_MS;
    for (const [keyId, atMs] of this.noticedAtMs) if (atMs <= oldMs) this.noticedAtMs.delete(keyId);
    if (uses.length === 0) return;
    try {
      await this.tell(uses);
    } catch (error) {
      log.debug(errorFields(error), 'key uses not reported');
    }
  }

  /** Dated at sending: if the clock is wrong then, the signature of the call is refused as well. */
  private dated({ keyId, atMs }: { keyId: string; atMs: number }): KeyUse {
    const at = new Date(this.wallClockMs() - (this.nowMs() - atMs)).toISOString();
    return { key_id: keyId, at };
  }
}
