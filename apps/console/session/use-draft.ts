import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** What a person has typed into a dialog about one object and not sent. */
export interface Draft<Value> {
  value: Value;
  change: (next: Value | ((now: Value) => Value)) => void;
  /** Something typed would be lost with it. */
  isKept: boolean;
  discard: () => void;
}

const DRAFTS = 'drafts';
/** A selection in a list is not typed. */
export const SELECTION = 'selection';

/**
 * Nothing typed is lost: a dialog that was closed, or whose act was refused, opens with what was typed. It is kept beside
 * what the server said, in memory only, so it ends with the session, and `useTypedGuard` asks before a reload ends it.
 */
export function useDraft<Value>(objectId: string, dialog: string, start: Value): Draft<Value> {
  const client = useQueryClient();
  const kept = client.getQueryData<Value>([DRAFTS, objectId, dialog]);
  // React state as well: the field must show typed text in the same tick, or the caret jumps.
  const [value, setValue] = useState(kept ?? start);
  return {
    value,
    change: (next) => {
      const isStep = (given: typeof next): given is (now: Value) => Value => typeof given === 'function';
      const changed = (now = start) => (isStep(next) ? next(now) : next);
      setValue(keepDraft<Value>(client, objectId, dialog, changed));
    },
    isKept: kept !== undefined,
    discard: () => {
      forgetDrafts(client, objectId, dialog);
    },
  };
}

/** Also for a dialog that is not open. Returns what is kept: `next` may make a random key and is called once. */
export function keepDraft<Value>(
  client: QueryClient,
  objectId: string,
  dialog: string,
  next: (now: Value | undefined) => Value,
): Value {
  const queryKey = [DRAFTS, objectId, dialog];
  const value = next(client.getQueryData<Value>(queryKey));
  client.setQueryDefaults([DRAFTS], { gcTime: Infinity });
  client.setQueryData<Value>(queryKey, value);
  return value;
}

/** Those of one dialog, or all of the object. */
export function forgetDrafts(client: QueryClient, objectId: string, dialog?: string): void {
  client.removeQueries({ queryKey: [DRAFTS, objectId, ...(dialog === undefined ? [] : [dialog])] });
}

/** The browser asks before the page goes with what was typed, or with the edits of a request. */
export function useTypedGuard(): void {
  const client = useQueryClient();
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      const kept = [[DRAFTS], ['edits']].flatMap((queryKey) => client.getQueriesData({ queryKey }));
      const isTyped = ([key, value]: (typeof kept)[number]) =>
        key[2] !== SELECTION && value !== null && value !== undefined;
      if (kept.some(isTyped)) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [client]);
}
