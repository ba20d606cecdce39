import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { KeyedAct } from '../controls/action-bar';
import { Chip } from '../controls/chip';
import { EmptyList } from '../controls/empty-state';
import { ListPage } from '../lists/list-page';
import { FigureCell, RowGrid, TextCell, useIsCards } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useListKeys } from '../keyboard/list-keys';
import { SelectionBar, useAskedRows } from '../lists/selection-bar';
import { type Selecting, useSelection } from '../lists/use-selection';
import { useFormats } from '../text/texts';
import css from './delivery-list.module.css';
import { DeliveryPane, TONES } from './delivery-pane';
import type { DeliverySearch } from './delivery-search';
import { useWebhookTexts } from './webhook-texts';
import type { WebhookTexts } from './webhooks.de';
import { type Delivery, deliveryList } from './webhooks.calls';

interface Props {
  /** Undefined: of every endpoint. */
  webhookId: string | undefined;
  /** Addresses of the endpoints, by their ids. */
  urls: ReadonlyMap<string, string>;
  filters: DeliverySearch;
  head: ReactNode;
  /** Takes the filters away; null without filters. */
  onClear: (() => void) | null;
  openId: string | undefined;
  onOpen: (id: string | undefined) => void;
}

/** Deliveries of one endpoint or of all, one of them beside the list, and what can be done with many. */
export function DeliveryList({ webhookId, urls, filters, head, onClear, openId, onOpen }: Props) {
  const texts = useWebhookTexts();
  const list = useInfiniteQuery(deliveryList(webhookId, filters));
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const cursorId = useListKeys(rows, openId, onOpen, texts);
  const screen = `deliveries ${webhookId ?? 'of all'}`;
  const isLoaded = list.isSuccess && !list.isPlaceholderData;
  const selecting = useSelection(rows, { screen, cursorId, isLoaded, one: texts.select.one });
  const isEmpty = list.isSuccess && rows.length === 0;
  return (
    <ListPage
      head={head}
      list={list}
      empty={
        isEmpty ? (
          <EmptyList
            title={onClear ? texts.noneFiltered : texts.noDeliveries}
            hint={texts.noDeliveriesHint}
            onClear={onClear}
          />
        ) : null
      }
      table={
        <DeliveryTable
          rows={rows}
          selecting={selecting}
          selectedId={cursorId}
          urls={webhookId === undefined ? urls : null}
          list={list}
          onOpen={onOpen}
        />
      }
      foot={
        selecting.selection.size > 0 && (
          <DeliverySelection selecting={selecting} hasKeys={openId === undefined} />
        )
      }
      detail={
        openId !== undefined && (
          <DeliveryPane key={openId} id={openId} urls={urls} onClose={() => onOpen(undefined)} />
        )
      }
    />
  );
}

const SendAgainDialog = lazy(() => import('./send-again-dialog'));

interface DeliverySelectionProps {
  selecting: Selecting<Delivery>;
  /** An open delivery owns the key of the act. */
  hasKeys: boolean;
}

/** The selected deliveries can be sent again together. */
function DeliverySelection({ selecting, hasKeys }: DeliverySelectionProps) {
  const texts = useWebhookTexts();
  const { asked, blocked, ask, done } = useAskedRows(selecting, texts);
  const acts: KeyedAct[] = [
    { keys: 'r', does: texts.sendAgain, kind: 'main', can: blocked === null, run: ask },
  ];
  return (
    <>
      <SelectionBar
        selecting={selecting}
        texts={texts.select}
        blocked={blocked}
        acts={acts}
        hasKeys={hasKeys}
      />
      <Suspense>{asked && <SendAgainDialog rows={asked} onClose={done} />}</Suspense>
    </>
  );
}

/** Height of a card in px. */
const CARD_PX = 74;
const CARD_WITH_ENDPOINT_PX = 96;
const COLUMNS = ['kind', 'endpoint', 'status', 'object', 'tries', 'next', 'created'] as const;

interface DeliveryTableProps extends ListedRows<Delivery> {
  onOpen: (id: string) => void;
  selecting: Selecting<Delivery>;
  /** Addresses of the endpoints by their ids, where deliveries of every one are listed. */
  urls: ReadonlyMap<string, string> | null;
}

function DeliveryTable({ selecting: { selection, mark }, urls, ...list }: DeliveryTableProps) {
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
      columns={columns.map((column) => ({
        name: texts.column[column],
        className: css[column],
        isFigure: column === 'tries',
      }))}
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

/** A product by its number, another object by its kind and the end of its id: the beginning is the time. */
function objectText({ event_type: event, object_id: object }: Delivery, texts: WebhookTexts): string {
  const product = /^(?:shop-)?product:[^:]+:(.+)$/s.exec(object)?.[1];
  if (product !== undefined) return texts.product(product);
  const kind = texts.objects.find(([prefix]) => event.startsWith(prefix))?.[1];
  return kind === undefined ? object : `${kind} …${object.slice(-8)}`;
}

function Cells({ row, url }: { row: Delivery; url: string | null }) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  const isCards = useIsCards();
  const next = row.next_attempt_at === null ? '' : formats.dateTime(row.next_attempt_at);
  const tries = row.attempt_count;
  const written = formats.number(tries);
  return (
    <>
      <TextCell className={css.kind} text={row.event_type} />
      {url !== null && <TextCell className={css.endpoint} text={url} />}
      <span role="gridcell" className={css.status}>
        <Chip tone={TONES[row.status]}>{texts.statuses[row.status]}</Chip>
      </span>
      <span role="gridcell" className={css.object} title={row.object_id}>
        <bdi>{objectText(row, texts)}</bdi>
      </span>
      <FigureCell className={css.tries} text={isCards ? texts.attemptsOf(tries, written) : written} />
      <TextCell className={css.next} text={next} />
      <TextCell className={css.created} text={formats.dateTime(row.created_at)} />
    </>
  );
}
