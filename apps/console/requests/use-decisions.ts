import { useQueryClient } from '@tanstack/react-query';
import { HeldScreen } from '../held/held-screen';
import { type HeldActs, useHeld } from '../held/use-held';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { readableName } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import type { Act } from './decision';
import { waitingFirst } from './first-approval';
import { showRefusal } from './refusal-toast';
import { requestDetail, sendDecision } from './requests.calls';
import { forgetTyped, keepProblems } from './use-edits';

export type Decisions = HeldActs<Act>;

const held = new HeldScreen<Act>('requests');
/** The status that a decision leads to. */
const BECOMES = { approve: 'approved', reject: 'rejected', ask: 'needs_clarification' } as const;

/** The held decisions about requests, with their messages. `onBack`: an undone request is to be shown again. */
export function useDecisions(onBack: (id: string) => void): Decisions {
  const texts = useTexts();
  const formats = useFormats();
  const { org, staff } = useSession();
  const client = useQueryClient();
  const words = texts.requests;
  const readAgain = () => client.invalidateQueries({ queryKey: ['requests'] });
  return useHeld<Act>(held, {
    send: async (decision, keepalive) => {
      const reply = await sendDecision(org.id, decision, keepalive);
      if (isFirstApproval(reply)) toasts.show({ text: words.secondLook.sent(decision.customer) });
    },
    onSent: (decision) => {
      forgetTyped(client, decision);
      return readAgain();
    },
    onRefused: (decision, error) => {
      const { id, customer } = decision;
      keepProblems(client, decision, error);
      showRefusal(error, { id, customer, told: words.refused, onShow: onBack }, texts, formats);
      // The row comes back; what the person is reading stays.
      void readAgain();
    },
    onBack,
    becomes: ({ kind }) => ({ status: BECOMES[kind] }),
    read: async (id) => {
      const { customer_name: name, ...found } = await client.query({
        ...requestDetail(org.id, id),
        staleTime: 0,
      });
      // A first approval has done what it could.
      const isOwnFirst = waitingFirst(found)?.staff_id === staff.id;
      const status = isOwnFirst ? BECOMES.approve : found.status;
      return { customer: readableName(name) ?? words.nameless, fields: { status } };
    },
    words: {
      held: ({ act, customer }) => words.held[act.kind](customer),
      undo: words.undo,
      away: words.away,
      left: (customer) => words.refused(customer ?? words.nameless, words.leftPage),
      show: words.show,
    },
  });
}

/** The answer of an approval that waits for a second one. */
function isFirstApproval(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && 'first_approval' in reply;
}
