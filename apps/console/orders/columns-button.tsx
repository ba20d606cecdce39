import { lazy, Suspense, useState } from 'react';
import type { OrderColumn } from '@offizin/contracts/views';
import { Button } from '../controls/button';
import { useIsCards } from '../controls/row-grid';
import { useKeys } from '../shell/keys';
import { useViewsTexts } from '../views/views-texts';

const ColumnsDialog = lazy(() => import('./columns-dialog'));

interface Props {
  columns: readonly OrderColumn[];
  ofView: boolean;
  onChoose: (columns: readonly OrderColumn[] | null) => void;
}

/** Chooses the columns of the table; cards have none. */
export function ColumnsButton(props: Props) {
  const texts = useViewsTexts();
  const [isOpen, setOpen] = useState(false);
  const isCards = useIsCards();
  const open = () => setOpen(true);
  useKeys('page', [{ keys: 'Shift c', does: texts.columnsTitle, run: open, hidden: isCards }]);
  if (isCards) return null;
  return (
    <>
      <Button kind="quiet" shortcut="Shift c" onPress={open}>
        {texts.columns}
      </Button>
      <Suspense>{isOpen && <ColumnsDialog {...props} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
