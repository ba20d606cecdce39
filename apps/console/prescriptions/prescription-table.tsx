import { Chip } from '../controls/chip';
import { RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useSession } from '../shell/session.calls';
import { useFormats } from '../text/texts';
import { nameOf } from './prescription-name';
import { usePrescriptionTexts } from './prescription-texts';
import type { PrescriptionRow } from './prescriptions.calls';
import css from './prescription-table.module.css';

/** Height of a card in px. */
const CARD_PX = 76;
const COLUMNS = ['customer', 'email', 'shop', 'total', 'created'] as const;

interface Props extends ListedRows<PrescriptionRow> {
  total: number;
  onOpen: (id: string) => void;
}

export function PrescriptionTable(list: Props) {
  const texts = usePrescriptionTexts();
  const { shops } = useSession();
  const columns = COLUMNS.filter((column) => column !== 'shop' || shops.length > 1);
  return (
    <RowGrid
      {...list}
      label={texts.title}
      className={shops.length > 1 ? `${css.table} ${css.withShops}` : (css.table ?? '')}
      columns={columns.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      cells={(row) => <Cells row={row} />}
    />
  );
}

function Cells({ row }: { row: PrescriptionRow }) {
  const texts = usePrescriptionTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const shop = shops.find(({ shop_id: id }) => id === row.shop_id)?.name ?? row.shop_id;
  const total = row.order_total_amount === null ? '' : formats.money(row.order_total_amount);
  return (
    <>
      {row.customer_email === null ? (
        <span role="gridcell" className={css.customer}>
          <Chip tone="warn">{texts.erased}</Chip>
        </span>
      ) : (
        <TextCell className={css.customer} text={nameOf(row) ?? texts.nameless} />
      )}
      <TextCell className={css.email} text={row.customer_email ?? ''} />
      {shops.length > 1 && <TextCell className={css.shop} text={shop} />}
      <TextCell className={css.total} text={total} />
      <TextCell className={css.created} text={formats.dateTime(row.created_at)} />
    </>
  );
}
