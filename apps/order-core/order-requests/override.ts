import type { ApproveBody } from '@offizin/contracts/order-request-review';
import type { ReviewOverride } from '@offizin/contracts/review';

/** The checks that an approval overrides, and why; null when it says neither. */
export function overrideOf({ acknowledged = [], reason }: ApproveBody): ReviewOverride | null {
  if (acknowledged.length === 0 && !reason) return null;
  return { acknowledged, reason: reason ?? null };
}

/** Row id for encrypting an override: its ciphertext cannot be decrypted as another column. */
export function overrideRowId(requestId: string): string {
  return `${requestId}:override`;
}
