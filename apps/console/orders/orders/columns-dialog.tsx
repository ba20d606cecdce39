import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OrderColumn } from '@offizin/contracts/console/views';
import { Button } from '../../controls/button';
import { Check } from '../../controls/check';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { sentenceOf } from '../../messages/fault';
import { changePreferences } from '../../session/preferences';
import { sessionQuery, useSession } from '../../session/session.calls';
import { useTexts } from '../../text/texts';
import { useViewsTexts } from '../../views/views-texts';
import { FIXED, ORDER_COLUMNS, usualAsEmpty } from './order-columns';
import { useOrderTexts } from './order-texts';
import css from './columns.module.css';

interface Props {
  columns: readonly OrderColumn[];
  /** The address keeps them, and then the view; else they are a setting of the person. */
  ofView: boolean;
  /** Null: stored as the person's. */
  onChoose: (columns: readonly OrderColumn[] | null) => void;
  onClose: () => void;
}

export default function ColumnsDialog({ columns, ofView, onChoose, onClose }: Props) {
  const texts = useViewsTexts();
  const all = useTexts();
  const names = useOrderTexts().column;
  const { shops } = useSession();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<OrderColumn>>(
    () => new Set(columns.length === 0 ? ORDER_COLUMNS : columns),
  );
  const { mutate, error, isPending } = useMutation({
    mutationFn: (order_columns: OrderColumn[]) => changePreferences({ order_columns }),
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      onChoose(null);
      onClose();
    },
  });
  // With one shop its column says nothing; it counts as chosen.
  const offered = ORDER_COLUMNS.filter((column) => column !== 'shop' || shops.length > 1);
  const apply = () => {
    const wanted = ORDER_COLUMNS.filter((column) => chosen.has(column) || !offered.includes(column));
    const kept = usualAsEmpty(wanted);
    if (!ofView) {
      mutate(kept);
      return;
    }
    onChoose(kept);
    onClose();
  };
  return (
    <Dialog title={texts.columnsTitle} isBusy={isPending} onClose={onClose}>
      <div className={css.checks}>
        {offered.map((column) => (
          <Check
            key={column}
            label={names[column]}
            isChecked={chosen.has(column)}
            isDisabled={column === FIXED}
            onToggle={() => setChosen(toggled(chosen, column))}
          />
        ))}
      </div>
      <p className={css.hint}>
        {texts.columnsFit} {ofView ? texts.columnsOfView : texts.columnsOfPerson}
      </p>
      {error && <p role="alert">{sentenceOf(error, all)}</p>}
      <DialogButtons>
        <Button isDisabled={isPending} onPress={onClose}>
          {all.requests.cancel}
        </Button>
        <Button kind="main" isPending={isPending} onPress={apply}>
          {texts.apply}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function toggled(chosen: ReadonlySet<OrderColumn>, column: OrderColumn): ReadonlySet<OrderColumn> {
  const others = [...chosen].filter((one) => one !== column);
  return new Set(chosen.has(column) ? others : [...others, column]);
}
