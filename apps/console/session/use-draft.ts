import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** What a person has typed into a dialog about one object and not sent. */
export interface Draft<Value> {
  value: Value;
  change: (value: Value) => void;
  /** Something typed would be lost with it. */
  isKept: boolean;
  discard: () => void;
}

const DRAFTS = 'drafts';

/**
 * Nothing typed is lost: a dialog that was closed, or whose act was refused, opens with what was typed. It is kept beside
 * what the server said, in memory only, so it ends with the session.
 */
export function useDraft<Value>(objectId: string, dialog: string, start: Value): Draft<Value> {
  const client = useQueryClient();
  const kept = client.getQueryData<Value>([DRAFTS, objectId, dialog]);
  // React state as well: the field must show typed text in the same tick, or the caret jumps.
  const [value, setValue] = useState(kept ?? start);
  return {
    value,
    change: (next) => {
      setValue(next);
      client.setQueryDefaults([DRAFTS], { gcTime: Infinity });
      client.setQueryData<Value>([DRAFTS, objectId, dialog], next);
    },
    isKept: kept !== undefined,
    discard: () => {
      forgetDrafts(client, objectId, dialog);
    },
  };
}

/** Those of one dialog, or all of the object. */
export function forgetDrafts(client: QueryClient, objectId: string, dialog?: string): void {
  client.removeQueries({ queryKey: [DRAFTS, objectId, ...(dialog === undefined ? [] : [dialog])] });
}
