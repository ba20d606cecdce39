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

/** Says why the server did not take it, and what to do. That a colleague was first is no failure. */
export function showRefusal(
  error: unknown,
  { id, customer, told, onShow }: Refused,
  texts: Texts,
  formats: Formats,
): void {
  const other = decidedElsewhere(error);
  if (other) {
    toasts.show({
      text: texts.deciding.decidedBy[other.status](customer, other.name, formats.time(other.at)),
    });
    return;
  }
  const version = newerVersion(error);
  if (version === null) {
    const first = firstApprovalReason(error);
    const said = first ? texts.requests.secondLook.refused[first] : sentenceOf(error, texts);
    const why = error instanceof StaleDecision ? texts.requests.stale : said;
    toasts.show({ text: told(customer, why), tone: 'failure' });
    return;
  }
  const shown = `version-${id}`;
  const run = () => {
    toasts.close(shown);
    onShow(id);
  };
  const text = told(customer, texts.live.newVersion(version));
  toasts.show({ id: shown, text, tone: 'failure', action: { label: texts.requests.show, run } });
}

interface DecidedElsewhere {
  status: keyof Texts['deciding']['decidedBy'];
  name: string;
  at: string;
}

/** Who decided before this decision arrived, as the refusal says; null when it was refused for another reason. */
function decidedElsewhere(error: unknown): DecidedElsewhere | null {
  if (!(error instanceof ApiError) || error.code !== 'already_decided') return null;
  const said = new Map(error.details?.map(({ field, message }) => [field, message]));
  const [status, name, at] = [said.get('status'), said.get('decided_by'), said.get('decided_at')];
  if (status !== 'approved' && status !== 'rejected' && status !== 'cancelled') return null;
  return name === undefined || at === undefined ? null : { status, name, at };
}

/** The version that the partner has sent since the one of this decision, as the refusal says; null for another reason. */
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
