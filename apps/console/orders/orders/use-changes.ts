import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { HeldScreen } from '../../requests/held/held-screen';
import { StaleDecision } from '../../requests/held/send-surely';
import { type HeldActs, useHeld } from '../../requests/held/use-held';
import { sentenceOf } from '../../messages/fault';
import { useOnline } from '../../session/online';
import { forgetDrafts } from '../../session/use-draft';
import { toasts } from '../../messages/toasts';
import { readableName } from '../../text/customer-name';
import { useTexts } from '../../text/texts';
import { becomes, type OrderAct, type OrderChange } from './order-change';
import { useOrderTexts } from './order-texts';
import {
  type KeptConflict,
  keptConflict,
  OrderConflict,
  readOrder,
  sendChange,
  writeLots,
} from './orders.calls';

export type Changes = HeldActs<OrderAct>;

const held = new HeldScreen<OrderAct>('orders');

/** The held changes of orders, with their messages: as decisions, because the workflow does not go back. */
export function useChanges(open: (id: string) => void): Changes {
  const texts = useOrderTexts();
  const shared = useTexts();
  const client = useQueryClient();
  const readAgain = () => client.invalidateQueries({ queryKey: ['orders'] });
  const takeLotsBack = async ({ customer, act }: OrderChange) => {
    if (act.kind !== 'packed' || !act.lotsBefore) return;
    try {
      await writeLots(act.seen, act.lotsBefore);
    } catch (error) {
      toasts.show({ text: texts.lots.stay(customer, sentenceOf(error, shared)), tone: 'failure' });
    }
    await readAgain();
  };
  return useHeld<OrderAct>(held, {
    send: (change, keepalive) => sendChange(change, keepalive),
    onSent: ({ id, act }) => {
      // A change on a newer version has settled it.
      dropConflict(client, id);
      if (act.kind === 'packed') forgetDrafts(client, id, 'packing');
      return readAgain();
    },
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
    onBack: (id, undone) => {
      if (undone) void takeLotsBack(undone);
      open(id);
    },
    becomes,
    read: async (id) => {
      const order = await readOrder(id);
      return { customer: readableName(order.customer_name) ?? texts.nameless, fields: { ...order } };
    },
    words: {
      held: ({ act, customer }) => {
        if (act.kind === 'paid') return texts.held.paid(customer);
        const words = act.kind === 'packed' ? texts.held.packed : texts.held.status;
        return words(customer, texts.status[act.to]);
      },
      undo: texts.undo,
      away: texts.away,
      left: (customer) => texts.refused(customer ?? texts.nameless, texts.leftPage),
      show: texts.show,
    },
  });
}

/** A conflict ends together with its message. */
export function dropConflict(client: QueryClient, orderId: string): void {
  toasts.close(conflictToast(orderId));
  client.removeQueries({ queryKey: keptConflict(orderId).queryKey });
}

function conflictToast(orderId: string): string {
  return `conflict-${orderId}`;
}

/** Why nothing can be changed now, as a sentence; null when it can. Every role may change orders. */
export function useBlocked(isHeld: boolean): string | null {
  const texts = useOrderTexts();
  const isOnline = useOnline();
  if (!isOnline) return texts.blockedOffline;
  return isHeld ? texts.blockedHeld : null;
}
