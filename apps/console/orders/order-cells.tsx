import type { PipelineRow } from '@offizin/contracts/pipeline';
import { Chip } from '../controls/chip';
import { TextCell } from '../controls/row-grid';
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
}

/** One order in the table. */
export function OrderCells({ row: stored, change }: Props) {
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
    <>
      <TextCell className={css.number} text={row.order_number ?? row.external_id} />
      <TextCell className={css.customer} text={name} />
      <span role="gridcell" className={css.status}>
        <Chip tone={toneOfStatus(row.status)}>{texts.status[row.status]}</Chip>
      </span>
      <TextCell className={css.shop} text={shop} />
      <TextCell className={css.lines} text={row.line_count === 0 ? texts.noLines : lines} />
      <TextCell className={css.total} text={formats.money(row.total_amount)} />
      <span role="gridcell" className={css.payment}>
        <Chip tone={toneOfPayment(row.payment_status)}>{texts.payment[row.payment_status]}</Chip>
      </span>
      <TextCell className={css.delivery} text={delivery} />
      <span role="gridcell" className={css.age}>
        <time dateTime={row.status_since} title={formats.exact(row.status_since)}>
          {formats.age(row.status_since)}
        </time>
      </span>
    </>
  );
}

/** As the server shortens them (pipeline-list.store.ts). */
const SHOWN_LINES = 5;

function asChanged(row: PipelineRow, change: OrderChange | undefined): PipelineRow {
  if (!change) return row;
  const { act } = change;
  return act.kind === 'paid' ? { ...row, payment_status: 'paid' } : { ...row, status: act.to };
}
