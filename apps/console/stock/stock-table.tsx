import type { InventoryRow } from '@offizin/contracts/inventory';
import { Chip } from '../controls/chip';
import { RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useFormats } from '../text/texts';
import { isLow, Level } from './level';
import { useStockTexts } from './stock-texts';
import css from './stock-table.module.css';

/** Height of a card in px. */
const CARD_PX = 68;

const COLUMNS = ['name', 'available', 'reserved', 'quantity', 'level', 'state'] as const;

export interface StockRow extends InventoryRow {
  id: string;
}

interface Props extends ListedRows<StockRow> {
  total: number;
  onOpen: (id: string) => void;
}

export function StockTable(props: Props) {
  const texts = useStockTexts();
  return (
    <RowGrid
      {...props}
      label={texts.listLabel}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      cells={(row) => <Cells row={row} />}
    />
  );
}

function Cells({ row }: { row: StockRow }) {
  const texts = useStockTexts();
  const formats = useFormats();
  return (
    <>
      <TextCell className={css.name} text={row.name} />
      <TextCell className={css.available} text={formats.number(row.available_quantity)} />
      <TextCell className={css.reserved} text={formats.number(row.reserved_quantity)} />
      <TextCell className={css.quantity} text={formats.number(row.stock_quantity)} />
      <span role="gridcell" className={css.level}>
        <Level row={row} />
      </span>
      <span role="gridcell" className={css.state}>
        {isLow(row) && <Chip tone="warn">{texts.low}</Chip>}
      </span>
    </>
  );
}
