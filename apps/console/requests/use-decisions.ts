import { useQueryClient } from '@tanstack/react-query';
import { StaleDecision } from '../held/send-surely';
import { type HeldActs, useHeld } from '../held/use-held';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import type { Texts } from '../text/de';
import type { Formats } from '../text/formats';
import { useFormats, useTexts } from '../text/texts';
import { decidedElsewhere } from './decided-elsewhere';
import type { Act, Decision } from './decision';
import { sendDecision } from './requests.calls';
import { forgetEdits, keepProblems } from './use-edits';

export type Decisions = HeldActs<Act>;

/** The held decisions of this page, with their messages. `onBack`: an undone request is to be shown again. */
export function useDecisions(onBack: (id: string) => void): Decisions {
  const texts = useTexts();
  const formats = useFormats();
  const { org } = useSession();
  const client = useQueryClient();
  const readAgain = () => client.invalidateQueries({ queryKey: ['requests'] });
  return useHeld<Act>({
    send: (decision, keepalive) => sendDecision(org.id, decision, keepalive),
    onSent: (decision) => {
      forgetEdits(client, decision);
      return readAgain();
    },
    onRefused: (decision, error) => {
      keepProblems(client, decision, error);
      toasts.show(refusalToast(decision, error, texts, formats));
      // The row comes back; what the person is reading stays.
      void readAgain();
    },
    onBack,
    words: {
      held: ({ act, customer }) => texts.requests.held[act.kind](customer),
      undo: texts.requests.undo,
      away: texts.requests.away,
    },
  });
}

/** That a colleague was first is no failure. */
function refusalToast({ customer }: Decision, error: unknown, texts: Texts, formats: Formats) {
  const other = decidedElsewhere(error);
  if (!other) {
    const sentence = error instanceof StaleDecision ? texts.requests.stale : sentenceOf(error, texts);
    return { text: texts.requests.refused(customer, sentence), tone: 'failure' } as const;
  }
  return { text: texts.deciding.decidedBy[other.status](customer, other.name, formats.time(other.at)) };
}
