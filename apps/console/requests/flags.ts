import type { ReviewFlag } from '@offizin/contracts/review';

const TONES: Partial<Record<ReviewFlag, 'warn' | 'danger' | 'info'>> = {
  used_before: 'danger',
  signature_altered: 'danger',
  document_failed: 'danger',
  document_missing: 'warn',
  duplicate: 'warn',
  expires_soon: 'warn',
  express: 'info',
  new_version: 'info',
};

export function toneOfFlag(flag: ReviewFlag): 'plain' | 'warn' | 'danger' | 'info' {
  return TONES[flag] ?? 'plain';
}
