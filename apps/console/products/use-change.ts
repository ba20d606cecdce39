import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toasts } from '../messages/toasts';

interface Manner {
  /** The message afterwards. */
  said: string;
  onDone?: () => void;
  /** Besides the `error` of the result. */
  onError?: (error: Error) => void;
}

/** A change of products: afterwards everything about them is read again, also their stock. */
export function useChange<Given = void>(send: (given: Given) => Promise<unknown>, manner: Manner) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => {
      for (const screen of ['products', 'stock']) void client.invalidateQueries({ queryKey: [screen] });
      toasts.show({ text: manner.said });
      manner.onDone?.();
    },
    onError: (error) => manner.onError?.(error),
  });
}
