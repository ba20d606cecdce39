import type { PipelineRow } from '@offizin/contracts/pipeline';
import { Chip } from '../controls/chip';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import { useFormats } from '../text/texts';
import type { OrderChange } from './order-change';
import { useOrderTexts } from './order-texts';
import { toneOfPayment, toneOfStatus } from './tones';
import css from './order-table.module.css';

interface Props {
  row: PipelineRow;
  /** What this person has just changed and the list does not have yet. */
  change: OrderChange | undefined;
  id: string;
  isSelected: boolean;
  place: number;
  top: number;
  onOpen: () => void;
}

/** One order in the table. Its height is fixed, so that the list knows every position without measuring. */
export function OrderRow({ row: stored, change, id, isSelected, place, top, onOpen }: Props) {
  const texts = useOrderTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const row = asChanged(stored, change);
  const shop = shops.find(({ shop_id }) => shop_id === row.shop_id)?.name ?? '';
  const name = readableName(row.customer_name) ?? texts.nameless;
  const further = row.line_count - SHOWN_LINES;
  const lines = [row.lines_text, ...(further > 0 ? [texts.moreLines(further)] : [])].join(' ');
  const delivery = row.shipping_option ?? texts.noDelivery;
  return (
    // The grid owns focus and keys; a row only takes the pointer.
    <div
      id={id}
      role="row"
      aria-rowindex={place}
      aria-selected={isSelected}
      className={css.row}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onOpen}
    >
      <Cell name="number" text={row.order_number ?? row.external_id} />
      <Cell name="customer" text={name} />
      <span role="gridcell" className={css.status}>
        <Chip tone={toneOfStatus(row.status)}>{texts.status[row.status]}</Chip>
      </span>
      <Cell name="shop" text={shop} />
      <Cell name="lines" text={row.line_count === 0 ? texts.noLines : lines} />
      <Cell name="total" text={formats.money(row.total_amount)} />
      <span role="gridcell" className={css.payment}>
        <Chip tone={toneOfPayment(row.payment_status)}>{texts.payment[row.payment_status]}</Chip>
      </span>
      <Cell name="delivery" text={delivery} />
      <span role="gridcell" className={css.age}>
        <time dateTime={row.status_since} title={formats.exact(row.status_since)}>
          {formats.age(row.status_since)}
        </time>
      </span>
    </div>
  );
}

/** As the server shortens them (pipeline-list.store.ts). */
const SHOWN_LINES = 5;

function asChanged(row: PipelineRow, change: OrderChange | undefined): PipelineRow {
  if (!change) return row;
  const { act } = change;
  return act.kind === 'paid' ? { ...row, payment_status: 'paid' } : { ...row, status: act.to };
}

function Cell({
  name,
  text,
}: {
  name: 'number' | 'customer' | 'shop' | 'lines' | 'total' | 'delivery';
  text: string;
}) {
  return (
    <span role="gridcell" className={css[name]} title={text}>
      <bdi>{text}</bdi>
    </span>
  );
}
