import { useQueryClient } from '@tanstack/react-query';
import { StaleDecision } from '../held/send-surely';
import { type HeldActs, useHeld } from '../held/use-held';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import type { OrderAct } from './order-change';
import { useOrderTexts } from './order-texts';
import { type KeptConflict, keptConflict, OrderConflict, sendChange } from './orders.calls';

export type Changes = HeldActs<OrderAct>;

/** The held changes of this page, with their messages: as decisions, because the workflow does not go back. */
export function useChanges(open: (id: string) => void): Changes {
  const texts = useOrderTexts();
  const shared = useTexts();
  const { org } = useSession();
  const client = useQueryClient();
  const readAgain = () => client.invalidateQueries({ queryKey: ['orders'] });
  return useHeld<OrderAct>({
    send: (change, keepalive) => sendChange(org.id, change, keepalive),
    onSent: readAgain,
    onRefused: ({ id, customer, act }, error) => {
      void readAgain();
      if (error instanceof OrderConflict) {
        const kept: KeptConflict = { act, customer, present: error.present };
        client.setQueryData(keptConflict(id).queryKey, kept);
        const shown = conflictToast(id);
        const run = () => {
          toasts.close(shown);
          open(id);
        };
        const text = texts.refused(customer, texts.conflict.faster);
        toasts.show({ id: shown, text, tone: 'failure', action: { label: texts.showChanges, run } });
        return;
      }
      const sentence = error instanceof StaleDecision ? texts.stale : sentenceOf(error, shared);
      toasts.show({ text: texts.refused(customer, sentence), tone: 'failure' });
    },
    onBack: open,
    words: {
      held: ({ act, customer }) =>
        act.kind === 'paid' ? texts.held.paid(customer) : texts.held.status(customer, texts.status[act.to]),
      undo: texts.undo,
      away: texts.away,
    },
  });
}

/** Id of the message about the conflict; it is closed together with the conflict. */
export function conflictToast(orderId: string): string {
  return `conflict-${orderId}`;
}
