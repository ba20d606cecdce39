import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyUse } from '@offizin/contracts/people/directory';
import { errorFields, log } from '@offizin/runtime/log';

/**
 * `ofz_<kind>_<random>_<checksum>`: the checksum (CRC-32) refuses typos without a lookup, and secret scanners recognise
 * keys. Keys are random, so plain SHA-256 is a sufficient hash.
 */
export type ApiKeyKind = 'org' | 'int';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 142 bits in base62. */
const RANDOM_LENGTH = 24;
const CHECKSUM_LENGTH = 6;
const FORM = /^ofz_(org|int)_([0-9A-Za-z]{22,64})_([0-9A-Za-z]{6})$/;

export function newApiKey(kind: ApiKeyKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const body = `ofz_${kind}_${random}`;
  return `${body}_${checksum(body)}`;
}

export function apiKeyKind(text: string): ApiKeyKind | null {
  const parts = FORM.exec(text);
  if (!parts) return null;
  const [, kind, , check] = parts;
  if (checksum(text.slice(0, -(CHECKSUM_LENGTH + 1))) !== check) return null;
  return kind === 'org' ? 'org' : 'int';
}

/** Hex SHA-256, the only form in which a key is stored or sent between processes. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(body: string): string {
  let value = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = `${ALPHABET[value % ALPHABET.length] ?? ''}${digits}`;
    value = Math.floor(value / ALPHABET.length);
  }
  return digits;
}

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
