import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../shell/api';
import { withConfirmation } from '../shell/confirmation';
import { sentenceOf } from '../shell/fault';
import { useTexts } from '../text/texts';

export interface Act<Input> {
  run: (input: Input) => void;
  isPending: boolean;
  /** A sentence; null until it has failed. */
  failure: string | null;
  /** Of fields, by their names: sentences of the server. */
  mistakes: Record<string, string>;
}

interface Options<Input, Reply> {
  send: (input: Input) => Promise<Reply>;
  /** The list that the change is seen in. */
  queryKey: readonly unknown[];
  onDone: (reply: Reply) => void;
  /** What 409 means here. */
  conflict?: string;
}

/** In place of the server's English sentences about fields: the console's own, by the names of the fields. */
export function ownMistakes(
  { mistakes }: Pick<Act<never>, 'mistakes'>,
  own: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(own).filter(([field]) => field in mistakes));
}

/** One change of the settings: asks for the password if need be, then reads the list again. */
export function useAct<Reply, Input = void>(options: Options<Input, Reply>): Act<Input> {
  const { send, queryKey, onDone, conflict } = options;
  const texts = useTexts();
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (input: Input) => withConfirmation(() => send(input)),
    onSuccess: (reply) => {
      void client.invalidateQueries({ queryKey });
      onDone(reply);
    },
  });
  const details = error instanceof ApiError ? (error.details ?? []) : [];
  const isConflict = error instanceof ApiError && error.code === 'conflict';
  return {
    run: mutate,
    isPending,
    failure: error && (isConflict && conflict !== undefined ? conflict : sentenceOf(error, texts)),
    mistakes: Object.fromEntries(details.map(({ field, message }) => [field, message])),
  };
}
