import type { ReactNode } from 'react';
import type { PipelineRow } from '@offizin/contracts/orders/pipeline';
import type { OrderColumn } from '@offizin/contracts/console/views';
import { Chip } from '../../controls/chip';
import { FigureCell, RowGrid, TextCell, useIsCards } from '../../controls/row-grid';
import type { ListedRows } from '../../controls/row-window';
import { useWidth } from '../../controls/use-width';
import { useSession } from '../../session/session.calls';
import { TestChip } from '../../lists/test-chip';
import type { Selecting } from '../../lists/use-selection';
import { readableName, readableOf } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import type { OrderChange } from './order-change';
import { fitting, ORDER_COLUMNS, templateOf } from './order-columns';
import css from './order-table.module.css';
import { useOrderTexts } from './order-texts';
import { toneOfPayment, toneOfStatus } from './tones';

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
          isFigure: column === 'total',
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

interface OrderCellsProps {
  row: PipelineRow;
  /** What this person has just changed and the list does not have yet. */
  change: OrderChange | undefined;
  /** Null: the usual columns, of which the style sheet shows those that fit. */
  chosen: readonly OrderColumn[] | null;
}

/** One order in the table. */
function OrderCells({ row: stored, change, chosen }: OrderCellsProps) {
  const row = asChanged(stored, change);
  const cells = { ...useTextCells(row), ...useOtherCells(row) };
  return (chosen ?? ORDER_COLUMNS).map((column) => {
    const className = classOf(column, chosen !== null);
    const cell = cells[column];
    if (column === 'total') return <FigureCell key={column} className={className} text={cells.total} />;
    if (typeof cell === 'string') return <TextCell key={column} className={className} text={cell} />;
    return (
      <span key={column} role="gridcell" className={className}>
        {cell}
      </span>
    );
  });
}

/** Of a cell and of the name above it. */
function classOf(column: OrderColumn, isChosen: boolean): string {
  const name = css[column] ?? '';
  return isChosen ? `${name} ${css.chosen}` : name;
}

type Others = 'status' | 'payment' | 'age';

function useTextCells(row: PipelineRow): Readonly<Record<Exclude<OrderColumn, Others>, string>> {
  const texts = useOrderTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const further = row.line_count - SHOWN_LINES;
  const lines = [readableOf(row.lines_text), ...(further > 0 ? [texts.moreLines(further)] : [])].join(' ');
  return {
    number: row.order_number ?? row.external_id,
    customer: readableName(row.customer_name) ?? texts.nameless,
    shop: shops.find(({ shop_id }) => shop_id === row.shop_id)?.name ?? '',
    lines: row.line_count === 0 ? texts.noLines : lines,
    total: formats.money(row.total_amount),
    delivery: row.shipping_option ?? texts.noDelivery,
  };
}

function useOtherCells(row: PipelineRow): Readonly<Record<Others, ReactNode>> {
  const texts = useOrderTexts();
  const formats = useFormats();
  const { status, payment_status: payment, status_since: since } = row;
  return {
    status: (
      <>
        <Chip tone={toneOfStatus(status)}>{texts.status[status]}</Chip> <TestChip of={row} />
      </>
    ),
    payment: <Chip tone={toneOfPayment(payment)}>{texts.payment[payment]}</Chip>,
    age: (
      <time dateTime={since} title={formats.exact(since)}>
        {formats.age(since)}
      </time>
    ),
  };
}

/** As the server shortens them (pipeline-list.store.ts). */
const SHOWN_LINES = 5;

function asChanged(row: PipelineRow, change: OrderChange | undefined): PipelineRow {
  if (!change) return row;
  const { act } = change;
  return act.kind === 'paid' ? { ...row, payment_status: 'paid' } : { ...row, status: act.to };
}
