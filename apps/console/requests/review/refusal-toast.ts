import { StaleDecision } from '../held/send-surely';
import { ApiError } from '../../calls/api';
import { sentenceOf } from '../../messages/fault';
import { toasts } from '../../messages/toasts';
import type { Texts } from '../../text/de';
import type { Formats } from '../../text/formats';

interface Refused {
  id: string;
  customer: string;
  /** What did not happen, and why. */
  told: (customer: string, why: string) => string;
  /** Shows the request. */
  onShow: (id: string) => void;
}

/** Shows why the server did not take it, and what to do. A decision that a colleague made first is not a failure. */
export function showRefusal(
  error: unknown,
  { id, customer, told, onShow }: Refused,
  texts: Texts,
  formats: Formats,
): void {
  const why = whyRefused(error, texts, formats);
  if (decidedElsewhere(error)) {
    toasts.show({ text: `${customer}: ${why}` });
    return;
  }
  const text = told(customer, why);
  if (newerVersion(error) === null) {
    toasts.show({ text, tone: 'failure' });
    return;
  }
  const shown = `version-${id}`;
  const run = () => {
    toasts.close(shown);
    onShow(id);
  };
  toasts.show({ id: shown, text, tone: 'failure', action: { label: texts.requests.show, run } });
}

/** A sentence without the customer. */
export function whyRefused(error: unknown, texts: Texts, formats: Formats): string {
  if (error instanceof StaleDecision) return texts.requests.stale;
  const other = decidedElsewhere(error);
  if (other) return texts.live.decided[other.action](other.name, formats.time(other.at));
  const version = newerVersion(error);
  if (version !== null) return texts.live.newVersion(version);
  const first = firstApprovalReason(error);
  return first ? texts.requests.secondLook.refused[first] : sentenceOf(error, texts);
}

const ACTIONS = new Map<string | undefined, DecidedElsewhere['action']>([
  ['approved', 'order-request.approve'],
  ['rejected', 'order-request.reject'],
  ['cancelled', 'order-request.cancel'],
]);

interface DecidedElsewhere {
  action: keyof Texts['live']['decided'];
  name: string;
  at: string;
}

/** Who decided before this decision arrived, as the refusal says; null when it was refused for another reason. */
function decidedElsewhere(error: unknown): DecidedElsewhere | null {
  if (!(error instanceof ApiError) || error.code !== 'already_decided') return null;
  const said = new Map(error.details?.map(({ field, message }) => [field, message]));
  const [status, name, at] = [said.get('status'), said.get('decided_by'), said.get('decided_at')];
  const action = ACTIONS.get(status);
  return !action || name === undefined || at === undefined ? null : { action, name, at };
}

/**
 * The version that the partner has sent since the one of this decision, as the refusal says; null for another reason.
 */
function newerVersion(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const version = Number(error.details?.find(({ field }) => field === 'version')?.message);
  return Number.isInteger(version) ? version : null;
}

const REASONS = ['own', 'changed', 'gone', 'other'] as const;

/** What a first approval has to do with the refusal; null for another reason. */
function firstApprovalReason(error: unknown): (typeof REASONS)[number] | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const said = error.details?.find(({ field }) => field === 'first_approval')?.message;
  return REASONS.find((reason) => reason === said) ?? null;
}
