import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { useSession } from '../../session/session.calls';
import { useFormats, useTexts } from '../../text/texts';
import { waitingFirst } from '../edits/first-approval';
import { showRefusal } from './refusal-toast';
import { withdrawFirstApproval, withdrawQuestion } from './requests.calls';

const CALLS = { question: withdrawQuestion, approval: withdrawFirstApproval };

/** Takes back the question to the partner, or the own first approval; or shows why that did not happen. */
export function useTakeBack(
  what: keyof typeof CALLS,
  { id, customer }: { id: string; customer: string },
  onShow: (id: string) => void,
): () => void {
  const texts = useTexts();
  const formats = useFormats();
  const client = useQueryClient();
  const told = what === 'question' ? texts.requests.notWithdrawn : texts.requests.secondLook.notTakenBack;
  const { mutate } = useMutation({
    mutationFn: () => CALLS[what](id),
    onError: (error) => {
      showRefusal(error, { id, customer, told, onShow }, texts, formats);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  return () => {
    mutate();
  };
}

/** Whether this person has approved first: another one must complete it. */
export function useIsOwnFirst(detail: ReviewDetail): boolean {
  const { staff } = useSession();
  return waitingFirst(detail)?.staff_id === staff.id;
}
