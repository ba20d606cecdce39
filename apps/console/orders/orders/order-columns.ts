import type { ORDER_COLUMNS as Columns, OrderColumn } from '@offizin/contracts/console/views';

/** The columns of the table. Empty lists mean the usual ones, which leave by the style sheet on a narrow table. */
export const ORDER_COLUMNS: typeof Columns = [
  'number',
  'customer',
  'status',
  'shop',
  'lines',
  'total',
  'payment',
  'delivery',
  'age',
];

/** It names the order, so it always stays. */
export const FIXED: OrderColumn = 'number';

interface Width {
  minPx: number;
  /** Of the space that is left; 0: none. */
  share: number;
}

const WIDTHS: Readonly<Record<OrderColumn, Width>> = {
  number: { minPx: 96, share: 1 },
  customer: { minPx: 120, share: 1.2 },
  status: { minPx: 150, share: 0 },
  shop: { minPx: 140, share: 1 },
  lines: { minPx: 140, share: 1.8 },
  total: { minPx: 104, share: 0 },
  payment: { minPx: 130, share: 0 },
  delivery: { minPx: 80, share: 0.4 },
  age: { minPx: 124, share: 0 },
};
/** Between two columns, as in row-grid.module.css. */
const GAP_PX = 16;
/** The box of the selection, and the ends of a row. */
const ENDS_PX = 84;
/** The least needed first. */
const LEAVING: readonly OrderColumn[] = [
  'shop',
  'lines',
  'delivery',
  'payment',
  'age',
  'total',
  'status',
  'customer',
];

/** Of an address; null when it names none. */
export function columnsIn(text: string | undefined): OrderColumn[] | null {
  if (text === undefined) return null;
  const named = text.split(',');
  return usualAsEmpty(ORDER_COLUMNS.filter((column) => column === FIXED || named.includes(column)));
}

export function columnsText(columns: readonly OrderColumn[]): string {
  return (columns.length === 0 ? ORDER_COLUMNS : columns).join();
}

/** All columns are the usual ones. */
export function usualAsEmpty(columns: readonly OrderColumn[]): OrderColumn[] {
  return columns.length === ORDER_COLUMNS.length ? [] : [...columns];
}

/** Those that fit into a table of this width. Null: the width is not known yet, so all. */
export function fitting(columns: readonly OrderColumn[], widthPx: number | null): OrderColumn[] {
  let left = [...columns];
  if (widthPx === null) return left;
  for (const leaving of LEAVING) {
    if (neededPx(left) <= widthPx) break;
    left = left.filter((column) => column !== leaving);
  }
  return left;
}

function neededPx(columns: readonly OrderColumn[]): number {
  const widths = columns.reduce((sum, column) => sum + WIDTHS[column].minPx, 0);
  return widths + (columns.length - 1) * GAP_PX + ENDS_PX;
}

/** For `grid-template-columns`. */
export function templateOf(columns: readonly OrderColumn[]): string {
  const widths = columns.map((column) => {
    const { minPx, share } = WIDTHS[column];
    return share === 0 ? `${minPx}px` : `minmax(${minPx}px, ${share}fr)`;
  });
  return widths.join(' ');
}
