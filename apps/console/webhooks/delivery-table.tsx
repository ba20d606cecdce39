import { Chip } from '../controls/chip';
import { RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import type { Selecting } from '../shell/use-selection';
import { useFormats } from '../text/texts';
import { TONES } from './tones';
import { useWebhookTexts } from './webhook-texts';
import type { Delivery } from './webhooks.calls';
import css from './delivery-table.module.css';

/** Height of a card in px. */
const CARD_PX = 74;
const CARD_WITH_ENDPOINT_PX = 96;
const COLUMNS = ['kind', 'endpoint', 'status', 'object', 'tries', 'next', 'created'] as const;

interface Props extends ListedRows<Delivery> {
  onOpen: (id: string) => void;
  selecting: Selecting<Delivery>;
  /** Addresses of the endpoints by their ids, where deliveries of every one are listed. */
  urls: ReadonlyMap<string, string> | null;
}

export function DeliveryTable({ selecting: { selection, mark }, urls, ...list }: Props) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const columns = COLUMNS.filter((column) => column !== 'endpoint' || urls !== null);
  return (
    <RowGrid
      {...list}
      // Counting them all would cost more than the list.
      total={list.rows.length}
      label={texts.deliveries}
      className={`${css.table} ${urls === null ? '' : css.withEndpoints}`}
      columns={columns.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={urls === null ? CARD_PX : CARD_WITH_ENDPOINT_PX}
      marks={{
        column: texts.select.column,
        has: (id) => selection.has(id),
        onMark: mark,
        nameOf: (row) => texts.select.row(row.event_type, formats.dateTime(row.created_at)),
      }}
      cells={(row) => <Cells row={row} url={urls && (urls.get(row.webhook_id) ?? '')} />}
    />
  );
}

function Cells({ row, url }: { row: Delivery; url: string | null }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const next = row.next_attempt_at === null ? '' : formats.dateTime(row.next_attempt_at);
  return (
    <>
      <TextCell className={css.kind} text={row.event_type} />
      {url !== null && <TextCell className={css.endpoint} text={url} />}
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
