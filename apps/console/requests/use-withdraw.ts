import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import { showRefusal } from './refusal-toast';
import { withdrawQuestion } from './requests.calls';

/** Takes the question to the partner back, or says why that did not happen. */
export function useWithdraw(id: string, customer: string, onShow: (id: string) => void): () => void {
  const texts = useTexts();
  const formats = useFormats();
  const { org } = useSession();
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => withdrawQuestion(org.id, id),
    onError: (error) => {
      showRefusal(error, { id, customer, told: texts.requests.notWithdrawn, onShow }, texts, formats);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  return () => {
    mutate();
  };
}
