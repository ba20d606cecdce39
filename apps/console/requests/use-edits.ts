import { type QueryClient, queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ErrorBody } from '@offizin/contracts/errors';
import type { ReviewDetail } from '@offizin/contracts/review';
import { ApiError } from '../shell/api';
import { forgetDrafts } from '../shell/use-draft';
import type { Decision } from './decision';
import { type EditedField, type Edits, withEdits, withoutEdit } from './edits';
import { editsOfFirst } from './first-approval';

/** What a person has changed in one request, and what the server refused of it. */
interface KeptEdits {
  /** The edits belong to this version of the request. */
  version: number;
  edits: Edits;
  problems: NonNullable<ErrorBody['details']>;
}

export interface Editing {
  /** The request as it would be approved. */
  shown: ReviewDetail;
  edits: Edits;
  problems: KeptEdits['problems'];
  /** The version of edits that were made before the partner sent a new one; they are not applied. */
  staleVersion: number | null;
  /** Who made the edits, when it was a colleague by the first approval. */
  editedBy: string | null;
  /** `madeOn`: the version that was changed; default the present one. */
  change: (edits: Edits, madeOn?: number) => void;
  reset: (field: EditedField) => void;
}

/** In memory only, beside what the server said: they end with the session, not with a look at another request. */
function keptEdits(id: string) {
  return queryOptions<KeptEdits | null>({
    queryKey: ['edits', id],
    queryFn: skipToken,
    staleTime: 'static',
    gcTime: Infinity,
  });
}

export function useEdits(sent: ReviewDetail): Editing {
  const client = useQueryClient();
  const { id, version, status } = sent;
  const { data } = useQuery(keptEdits(id));
  const kept = status === 'pending' || status === 'needs_clarification' ? (data ?? null) : null;
  const isStale = kept !== null && kept.version !== version;
  const first = editsOfFirst(sent);
  const edits = kept?.edits ?? first ?? {};
  const change = (changed: Edits, madeOn = version) => {
    // Nothing changed is a change, too, after the first person's edits.
    const isNothing = Object.keys(changed).length === 0 && first === null;
    const kept = isNothing ? null : { version: madeOn, edits: changed, problems: [] };
    client.setQueryData(keptEdits(id).queryKey, kept);
    // Its fields begin with the present edits again.
    forgetDrafts(client, id, 'edit');
  };
  return {
    shown: isStale ? sent : withEdits(sent, edits),
    edits,
    problems: kept?.problems ?? [],
    staleVersion: isStale ? kept.version : null,
    editedBy: kept === null && first !== null ? (sent.first_approval?.by ?? null) : null,
    change,
    reset: (field) => {
      change(withoutEdit(edits, field), kept?.version);
    },
  };
}

/** Sent: a question leaves edits and texts of other dialogs to the decision that follows. */
export function forgetTyped(client: QueryClient, { id, act }: Decision): void {
  forgetDrafts(client, id, act.kind === 'ask' ? 'ask' : undefined);
  if (act.kind === 'ask') return;
  client.removeQueries({ queryKey: keptEdits(id).queryKey });
}

/** The server refused the decision: what it says about fields is shown at them. */
export function keepProblems(client: QueryClient, { id }: Decision, error: unknown): void {
  if (!(error instanceof ApiError) || !error.details || error.details.length === 0) return;
  const { details } = error;
  client.setQueryData(keptEdits(id).queryKey, (kept) => kept && { ...kept, problems: details });
}
