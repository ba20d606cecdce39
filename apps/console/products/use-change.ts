import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toasts } from '../messages/toasts';

interface ChangeOptions {
  /** The message afterwards. */
  said: string;
  onDone?: () => void;
  /** Besides the `error` of the result. */
  onError?: (error: Error) => void;
}

/** A change of products: afterwards everything about them is read again, also their stock. */
export function useChange<Given = void>(send: (given: Given) => Promise<unknown>, options: ChangeOptions) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => {
      for (const screen of ['products', 'stock']) void client.invalidateQueries({ queryKey: [screen] });
      toasts.show({ text: options.said });
      options.onDone?.();
    },
    onError: (error) => options.onError?.(error),
  });
}
