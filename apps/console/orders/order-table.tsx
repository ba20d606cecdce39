import type { PipelineRow } from '@offizin/contracts/pipeline';
import { RowGrid } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import type { OrderChange } from './order-change';
import { OrderCells } from './order-cells';
import { useOrderTexts } from './order-texts';
import type { Selecting } from '../shell/use-selection';
import css from './order-table.module.css';

/** Height of a card in px. */
const CARD_PX = 92;

const COLUMNS = [
  ...(['number', 'customer', 'status', 'shop', 'lines', 'total', 'payment', 'delivery', 'age'] as const),
];

interface Props extends ListedRows<PipelineRow> {
  decided: ReadonlyMap<string, OrderChange>;
  total: number;
  onOpen: (id: string) => void;
  selecting: Selecting<PipelineRow>;
}

export function OrderTable({ decided, selecting: { selection, mark }, ...list }: Props) {
  const texts = useOrderTexts();
  const { shops } = useSession();
  return (
    <RowGrid
      {...list}
      label={texts.listLabel}
      className={shops.length > 1 ? `${css.table} ${css.withShops}` : (css.table ?? '')}
      columns={COLUMNS.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      marks={{
        ...{ column: texts.select.column, has: (id) => selection.has(id), onMark: mark },
        nameOf: (row) => texts.select.row(readableName(row.customer_name) ?? texts.nameless),
      }}
      cells={(row) => <OrderCells row={row} change={decided.get(row.id)} />}
    />
  );
}
