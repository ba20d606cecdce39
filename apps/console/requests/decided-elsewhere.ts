import { ApiError } from '../shell/api';

export interface DecidedElsewhere {
  status: 'approved' | 'rejected';
  name: string;
  at: string;
}

/** Who decided before this decision arrived, as the refusal says; null when it was refused for another reason. */
export function decidedElsewhere(error: unknown): DecidedElsewhere | null {
  if (!(error instanceof ApiError) || error.code !== 'already_decided') return null;
  const said = new Map(error.details?.map(({ field, message }) => [field, message]));
  const [status, name, at] = [said.get('status'), said.get('decided_by'), said.get('decided_at')];
  if (status !== 'approved' && status !== 'rejected') return null;
  return name === undefined || at === undefined ? null : { status, name, at };
}

/** The version that the partner has sent since the one of this decision, as the refusal says; null for another reason. */
export function newerVersion(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const version = Number(error.details?.find(({ field }) => field === 'version')?.message);
  return Number.isInteger(version) ? version : null;
}

const REASONS = ['own', 'changed', 'gone', 'other'] as const;

/** What a first approval has to do with the refusal; null for another reason. */
export function firstApprovalReason(error: unknown): (typeof REASONS)[number] | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const said = error.details?.find(({ field }) => field === 'first_approval')?.message;
  return REASONS.find((reason) => reason === said) ?? null;
}
