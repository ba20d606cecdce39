import { type QueryClient, queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { ApiError } from '../../calls/api';
import { forgetDrafts } from '../../session/use-draft';
import type { Decision } from './requests.calls';
import { type EditedField, type Edits, takenEdits, withEdits, withoutEdit } from '../edits/edits';
import { type Content, contentOf, editsOfFirst, isSameContent } from '../edits/first-approval';

/** What a person has changed in one request, and what the server refused of it. */
interface KeptEdits {
  /** The edits belong to this content. */
  madeOn: Content;
  edits: Edits;
  problems: NonNullable<ErrorBody['details']>;
}

export interface Editing {
  /** The request as it would be approved. */
  shown: ReviewDetail;
  edits: Edits;
  /** Those that an approval sends: the edits, or what a colleague has changed while they are older. */
  applied: Edits;
  problems: KeptEdits['problems'];
  /** Of edits that are older than the present content and not applied; else null. */
  madeOn: Content | null;
  /** Who made the edits, when it was a colleague by the first approval. */
  editedBy: string | null;
  /** `madeOn`: the content that was changed; default the present one. */
  change: (edits: Edits, madeOn?: Content) => void;
  /** Leaves what a colleague has changed. */
  discard: () => void;
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
  const { id, status } = sent;
  const content = contentOf(sent);
  const { data } = useQuery(keptEdits(id));
  const kept = status === 'pending' || status === 'needs_clarification' ? (data ?? null) : null;
  const isStale = kept !== null && !isSameContent(kept.madeOn, content);
  const given = editsOfFirst(sent);
  const first = given && takenEdits(sent, given);
  const edits = takenEdits(sent, kept?.edits ?? first ?? {});
  const applied = isStale ? (first ?? {}) : edits;
  const keep = (next: KeptEdits | null) => {
    client.setQueryData(keptEdits(id).queryKey, next);
    // Its fields begin with the present edits again.
    forgetDrafts(client, id, 'edit');
  };
  const change = (changed: Edits, madeOn = content) => {
    // Nothing changed is a change, too, after the first person's edits.
    const isNothing = Object.keys(changed).length === 0 && first === null;
    keep(isNothing ? null : { madeOn, edits: changed, problems: [] });
  };
  return {
    shown: withEdits(sent, applied),
    edits,
    applied,
    problems: kept?.problems ?? [],
    madeOn: isStale ? kept.madeOn : null,
    editedBy: kept === null && first !== null ? (sent.first_approval?.by ?? null) : null,
    change,
    discard: () => {
      keep(null);
    },
    reset: (field) => {
      change(withoutEdit(edits, field), kept?.madeOn);
    },
  };
}

/** Sent: a question leaves edits and texts of other dialogs to the decision that follows, an offer what it does not carry. */
export function forgetTyped(client: QueryClient, { id, act }: Decision): void {
  const isDecided = act.kind !== 'ask' && act.kind !== 'offer';
  forgetDrafts(client, id, isDecided ? undefined : act.kind);
  if (act.kind === 'ask') return;
  const { queryKey } = keptEdits(id);
  if (isDecided) return client.removeQueries({ queryKey });
  client.setQueryData(queryKey, (kept) => {
    if (!kept) return kept;
    const { lines: _lines, total_amount: _total, shipping_option: _delivery, ...edits } = kept.edits;
    return Object.keys(edits).length === 0 ? null : { ...kept, edits };
  });
}

/** The server refused the decision: its messages about fields are shown at them. */
export function keepProblems(client: QueryClient, { id }: Decision, error: unknown): void {
  if (!(error instanceof ApiError) || !error.details || error.details.length === 0) return;
  const { details } = error;
  client.setQueryData(keptEdits(id).queryKey, (kept) => kept && { ...kept, problems: details });
}
