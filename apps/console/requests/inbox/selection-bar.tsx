import { lazy, Suspense, useState } from 'react';
import type { ReviewRow } from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { SAVE_KEY, useSaving } from '../../lists/save-list';
import { SelectionBar, useAskedRows } from '../../lists/selection-bar';
import type { Selecting } from '../../lists/use-selection';
import { useSession } from '../../session/session.calls';
import { useFormats, useTexts } from '../../text/texts';
import { filtersOf, type RequestSearch } from '../review/filters';
import { requestFile } from '../review/requests.calls';
import { type BulkAct, useBulkTexts } from './bulk-texts';

const BulkDialog = lazy(() => import('./bulk-dialog'));

/** The keys of an open request, with Shift. */
const KEYS: Readonly<Record<BulkAct, string>> = { ask: 'Shift q', reject: 'Shift r' };

/** Approving is not among them: each request is looked at. */
function actsOf({ tab }: RequestSearch, scopes: readonly string[]): readonly BulkAct[] {
  if (tab === 'decided' || !scopes.includes('order_requests.review')) return [];
  return tab === 'asked' ? ['reject'] : ['ask', 'reject'];
}

/** The server takes no question about an erased request. */
function takes(act: BulkAct, { erased_at }: ReviewRow): boolean {
  return act !== 'ask' || erased_at === null;
}

interface Props {
  selecting: Selecting<ReviewRow>;
  search: RequestSearch;
}

/** What can be done with the selected requests together. */
export default function RequestBar({ selecting, search }: Props) {
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const bulk = useBulkTexts();
  const { scopes } = useSession();
  const { asked, blocked, ask, done } = useAskedRows(selecting, {
    select: bulk,
    blockedOffline: texts.blockedOffline,
  });
  const [act, setAct] = useState<BulkAct>('ask');
  const { size } = selecting.selection;
  const offered = actsOf(search, scopes);
  const isErased =
    offered.includes('ask') && [...selecting.selection.values()].every((row) => !takes('ask', row));
  const acts = offered.map((each) => ({
    keys: KEYS[each],
    does: texts[each],
    kind: each === 'reject' ? ('danger' as const) : undefined,
    can: blocked === null && (each !== 'ask' || !isErased),
    run: () => {
      setAct(each);
      ask();
    },
  }));
  const ids = [...selecting.selection.keys()];
  const { save, isPending } = useSaving({
    title: texts.title,
    load: (type) => requestFile({ ...filtersOf(search), ids: ids.join(',') }, type),
  });
  return (
    <>
      <SelectionBar
        selecting={selecting}
        texts={bulk}
        blocked={blocked ?? (isErased ? bulk.erased(size, formats.number(size)) : null)}
        acts={acts}
      >
        <Button shortcut={SAVE_KEY} isDisabled={blocked !== null || isPending} onPress={save}>
          {bulk.save}
        </Button>
      </SelectionBar>
      <Suspense>
        {asked && (
          <BulkDialog
            rows={asked.filter((row) => takes(act, row))}
            leftOut={asked.filter((row) => !takes(act, row)).length}
            act={act}
            onClose={done}
          />
        )}
      </Suspense>
    </>
  );
}
