import { createHash } from 'node:crypto';

/** Keys end in an id: its last two digits divide them evenly. records.store.ts computes the same. */
const partOf = (key: string): string => key.slice(-2);

interface Part {
  readonly hashes: Map<string, bigint>;
  /** XOR of the hashes. */
  sum: bigint;
}

/** What the bucket holds, as hashes in parts. Equal sums of a part mean equal records. */
export class BucketContent {
  private readonly parts = new Map<string, Part>();

  set(key: string, value: string | Uint8Array): void {
    const part = this.parts.get(partOf(key)) ?? { hashes: new Map<string, bigint>(), sum: 0n };
    const hash = hashOf(key, value);
    part.sum ^= (part.hashes.get(key) ?? 0n) ^ hash;
    part.hashes.set(key, hash);
    this.parts.set(partOf(key), part);
  }

  delete(key: string): void {
    const part = this.parts.get(partOf(key));
    if (!part) return;
    part.sum ^= part.hashes.get(key) ?? 0n;
    part.hashes.delete(key);
  }

  /** `value` is null when the key should be absent. */
  holds(key: string, value: string | null): boolean {
    const hash = this.parts.get(partOf(key))?.hashes.get(key);
    return value === null ? hash === undefined : hash === hashOf(key, value);
  }

  /** Names of the parts that differ from these sums. */
  differentParts(sums: ReadonlyMap<string, string>): string[] {
    const names = new Set([...this.parts.keys(), ...sums.keys()]);
    return [...names].filter((name) => String(this.parts.get(name)?.sum ?? 0n) !== (sums.get(name) ?? '0'));
  }

  /** Keys of these parts that differ from the hashes, which are all that the parts should hold. */
  differentKeys(names: readonly string[], hashes: ReadonlyMap<string, string>): string[] {
    const held = new Map(names.flatMap((name) => [...(this.parts.get(name)?.hashes ?? [])]));
    const surplus = [...held.keys()].filter((key) => !hashes.has(key));
    const changed = [...hashes.keys()].filter((key) => String(held.get(key)) !== hashes.get(key));
    return [...surplus, ...changed];
  }
}

function hashOf(key: string, value: string | Uint8Array): bigint {
  return createHash('sha256').update(`${key} `).update(value).digest().readBigInt64BE(0);
}
