import type { ReviewCounts } from '@offizin/contracts/requests/review';
import { EmptyList, EmptyState } from '../../controls/empty-state';
import { isFiltered } from '../../lists/address';
import { useSession } from '../../session/session.calls';
import { useTexts } from '../../text/texts';
import { NO_FILTER, type RequestSearch } from '../review/filters';
import FirstSteps from './first-steps';

interface EmptyProps {
  search: RequestSearch;
  counts: ReviewCounts | undefined;
  onClear: () => void;
}

/** Three empty states: none at all, none under this filter, all done. */
export default function Empty({ search, counts, onClear }: EmptyProps) {
  const texts = useTexts().requests;
  const { scopes } = useSession();
  if (isFiltered(search, NO_FILTER)) return <EmptyList title={texts.emptyFiltered} onClear={onClear} />;
  const isNew =
    counts !== undefined &&
    counts.open + counts.second_look + counts.parked + counts.asked + counts.decided === 0;
  const nothing = isNew ? (
    <EmptyState title={texts.emptyNone} hint={texts.emptyNoneHint} />
  ) : (
    <EmptyState title={texts.emptyDone} hint={texts.emptyDoneHint} />
  );
  if (!isNew || !scopes.includes('staff.write')) return nothing;
  return <FirstSteps otherwise={nothing} />;
}
