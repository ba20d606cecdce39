import { createHmac } from 'node:crypto';

/** An entry as its seal covers it; the time to the microsecond, as text, because Date would cut it. */
export interface AuditContent {
  position: string;
  org_id: string | null;
  at: string;
  actor: string;
  action: string;
  object: string;
  request_id: string;
  /** Of what another service did. */
  record_id: string | null;
}

/** What the first seal follows on. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

/**
 * Seal of one entry: HMAC-SHA256 over the seal before and the entry. Keyed, because whoever can write into the table
 * could otherwise compute the chain anew; the key is not in the database in plain.
 */
export function sealOf(key: Buffer, before: Buffer, entry: AuditContent): Buffer {
  const { position, org_id, at, actor, action, object, request_id, record_id } = entry;
  const fields = [position, org_id, at, actor, action, object, request_id];
  // What order-core did itself has one field less, as it had before there were others.
  const content = JSON.stringify(record_id === null ? fields : [...fields, record_id]);
  return createHmac('sha256', key).update(before).update(content).digest();
}

/** A position of the log as it is now: its entry, its seal, or both. */
export interface SealedEntry {
  position: string;
  entry: AuditContent | null;
  seal: Buffer | null;
}

/** How far a stretch of the chain is as it was sealed. */
export interface ChainCheck {
  checked: number;
  lastSeal: Buffer;
  /** An entry without its seal was put in, a seal without its entry lost it, another hash means that it was changed. */
  brokenAt: string | null;
}

/** Recomputes the seals of a stretch in the order of positions, starting from the seal before it. */
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
