import { Chip } from '../controls/chip';
import { RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useFormats } from '../text/texts';
import { TONES } from './tones';
import { useWebhookTexts } from './webhook-texts';
import type { Delivery } from './webhooks.calls';
import css from './delivery-table.module.css';

/** Height of a card in px. */
const CARD_PX = 74;
const COLUMNS = ['kind', 'status', 'object', 'tries', 'next', 'created'] as const;

interface Props extends ListedRows<Delivery> {
  onOpen: (id: string) => void;
}

export function DeliveryTable(list: Props) {
  const texts = useWebhookTexts();
  return (
    <RowGrid
      {...list}
      // Counting them all would cost more than the list.
      total={list.rows.length}
      label={texts.deliveries}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      cells={(row) => <Cells row={row} />}
    />
  );
}

function Cells({ row }: { row: Delivery }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const next = row.next_attempt_at === null ? '' : formats.dateTime(row.next_attempt_at);
  return (
    <>
      <TextCell className={css.kind} text={row.event_type} />
      <span role="gridcell" className={css.status}>
        <Chip tone={TONES[row.status]}>{texts.statuses[row.status]}</Chip>
      </span>
      <TextCell className={css.object} text={row.object_id} />
      <TextCell className={css.tries} text={formats.number(row.attempt_count)} />
      <TextCell className={css.next} text={next} />
      <TextCell className={css.created} text={formats.dateTime(row.created_at)} />
    </>
  );
}
