import { createHmac } from 'node:crypto';
import type { AuditEntity } from '../db/entities';

/** The sealed content of an entry. `at` is text with microseconds, which a Date would truncate. */
export type AuditContent = Omit<AuditEntity, 'at'> & { at: string };

/** Predecessor of the first seal. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

/**
 * Seal of one entry: HMAC-SHA256 over the previous seal and the entry. Keyed, because otherwise anyone with write
 * access could recompute the chain. The database holds the key only in encrypted form.
 */
export function sealOf(key: Buffer, before: Buffer, entry: AuditContent): Buffer {
  const { position, org_id, at, actor, action, object, request_id, record_id } = entry;
  const fields = [position, org_id, at, actor, action, object, request_id];
  // Entries of order-core have one field less than those of other services.
  const content = JSON.stringify(record_id === null ? fields : [...fields, record_id]);
  return createHmac('sha256', key).update(before).update(content).digest();
}

/** One position of the log: its entry, its seal, or both. */
export interface SealedEntry {
  position: string;
  entry: AuditContent | null;
  seal: Buffer | null;
}

/** How far a section of the chain is intact. */
export interface ChainCheck {
  checked: number;
  lastSeal: Buffer;
  /**
   * An entry without seal was inserted, a seal without entry lost its entry, a different hash means a changed entry.
   */
  brokenAt: string | null;
}

/** Recomputes the seals of a section in the order of positions, starting from the seal before it. */
export function checkChain(key: Buffer, before: Buffer, stretch: readonly SealedEntry[]): ChainCheck {
  let lastSeal = before;
  let checked = 0;
  for (const { position, entry, seal } of stretch) {
    if (!entry || !seal || !sealOf(key, lastSeal, entry).equals(seal)) {
      return { checked, lastSeal, brokenAt: position };
    }
    lastSeal = seal;
    checked++;
  }
  return { checked, lastSeal, brokenAt: null };
}
