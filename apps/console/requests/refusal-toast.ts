import { StaleDecision } from '../held/send-surely';
import { sentenceOf } from '../shell/fault';
import { toasts } from '../shell/toasts';
import type { Texts } from '../text/de';
import type { Formats } from '../text/formats';
import { decidedElsewhere, firstApprovalReason, newerVersion } from './decided-elsewhere';

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
