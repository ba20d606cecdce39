import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../../calls/api';
import { withConfirmation } from '../../session/confirmation';
import { sentenceOf } from '../../messages/fault';
import { isStoredRefusal } from '../../session/send-key';
import { toasts } from '../../messages/toasts';
import { useTexts } from '../../text/texts';

export interface Act<Input> {
  run: (input: Input) => void;
  isPending: boolean;
  /** A sentence; null until it has failed. */
  failure: string | null;
  /** Another person has changed the version that was edited (412). */
  isOvertaken?: boolean;
  /** What the change was made on counts no more, or something else is in its way (409). */
  isConflict?: boolean;
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
  /** What 412 means here. */
  overtaken?: string;
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
  const { send, queryKey, onDone, conflict, overtaken } = options;
  const texts = useTexts();
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (input: Input) => withConfirmation(() => send(input)),
    onSuccess: (reply) => {
      void client.invalidateQueries({ queryKey });
      onDone(reply);
    },
    onError: (failed) => {
      if (isChangedSince(failed)) void client.invalidateQueries({ queryKey });
    },
  });
  const details = error instanceof ApiError ? (error.details ?? []) : [];
  const isConflict = error instanceof ApiError && error.code === 'conflict';
  const isOvertaken = isChangedSince(error);
  const own = isConflict ? conflict : isOvertaken ? overtaken : undefined;
  return {
    run: mutate,
    isPending,
    isOvertaken,
    isConflict,
    failure: error && (own ?? sentenceOf(error, texts)),
    mistakes: Object.fromEntries(details.map(({ field, message }) => [field, message])),
  };
}

function isChangedSince(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}

/**
 * Sends under an idempotency key. The same content keeps its key, so a repeat after a lost answer takes effect once.
 * Other content, and every attempt after a refusal, gets a new key.
 */
export function useSendKey(): <Reply>(
  content: unknown,
  send: (key: string) => Promise<Reply>,
) => Promise<Reply> {
  const last = useRef({ content: '', key: '' });
  return async (given, send) => {
    const content = JSON.stringify(given);
    if (last.current.content !== content) last.current = { content, key: crypto.randomUUID() };
    try {
      return await send(last.current.key);
    } catch (error) {
      if (isStoredRefusal(error)) last.current = { content: '', key: '' };
      throw error;
    }
  };
}

/** Reads another person's change once more and passes it on; reports when it cannot be read. */
export function useReload<Data>(read: () => Promise<Data>, take: (data: Data) => void): () => void {
  const texts = useTexts();
  return () => {
    const onFailure = (error: unknown) => toasts.show({ text: sentenceOf(error, texts), tone: 'failure' });
    void read().then(take, onFailure);
  };
}
