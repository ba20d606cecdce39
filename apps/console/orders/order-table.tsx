import type { PipelineRow } from '@offizin/contracts/pipeline';
import type { OrderColumn } from '@offizin/contracts/views';
import { RowGrid, useIsCards } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useWidth } from '../controls/use-width';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import type { OrderChange } from './order-change';
import { classOf, OrderCells } from './order-cells';
import { fitting, ORDER_COLUMNS, templateOf } from './order-columns';
import { useOrderTexts } from './order-texts';
import type { Selecting } from '../shell/use-selection';
import css from './order-table.module.css';

/** Height of a card in px. */
const CARD_PX = 92;

interface Props extends ListedRows<PipelineRow> {
  /** Empty: the usual ones. */
  columns: readonly OrderColumn[];
  decided: ReadonlyMap<string, OrderChange>;
  total: number;
  onOpen: (id: string) => void;
  selecting: Selecting<PipelineRow>;
}

export function OrderTable({ columns, decided, selecting: { selection, mark }, ...list }: Props) {
  const texts = useOrderTexts();
  const { shops } = useSession();
  const { ref, widthPx } = useWidth<HTMLDivElement>();
  const isCards = useIsCards();
  // A card has its own choice of cells.
  const chosen = columns.length === 0 || isCards ? null : fitting(columns, widthPx);
  return (
    <>
      <div ref={ref} />
      <RowGrid
        {...list}
        template={chosen ? templateOf(chosen) : undefined}
        label={texts.listLabel}
        className={shops.length > 1 ? `${css.table} ${css.withShops}` : (css.table ?? '')}
        columns={(chosen ?? ORDER_COLUMNS).map((column) => ({
          name: texts.column[column],
          className: classOf(column, chosen !== null),
        }))}
        cardPx={CARD_PX}
        marks={{
          column: texts.select.column,
          has: (id) => selection.has(id),
          onMark: mark,
          nameOf: (row) => texts.select.row(readableName(row.customer_name) ?? texts.nameless),
        }}
        cells={(row) => <OrderCells row={row} chosen={chosen} change={decided.get(row.id)} />}
      />
    </>
  );
}
