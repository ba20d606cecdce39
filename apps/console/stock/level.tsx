import { useFormats } from '../text/texts';
import css from './level.module.css';
import { useStockTexts } from './stock-texts';
import type { InventoryRow } from '@offizin/contracts/products/inventory';

type Levelled = Pick<InventoryRow, 'stock_quantity' | 'reserved_quantity' | 'low_stock_threshold'>;

/** The stock as a bar, its reserved part lighter, with a mark at the threshold. */
export function Level({ row }: { row: Levelled }) {
  const texts = useStockTexts();
  const formats = useFormats();
  const { stock_quantity: stock, reserved_quantity: reserved, low_stock_threshold: threshold } = row;
  const full = Math.max(stock, 2 * threshold, 1);
  const part = (pieces: number) => `${(100 * pieces) / full}%`;
  return (
    <div
      role="img"
      className={css.level}
      data-low={isLow(row)}
      aria-label={texts.level(formats.number(stock), formats.number(reserved), formats.number(threshold))}
    >
      <span className={css.free} style={{ inlineSize: part(stock - reserved) }} />
      <span className={css.reserved} style={{ inlineSize: part(reserved) }} />
      <span className={css.mark} style={{ insetInlineStart: part(threshold) }} />
    </div>
  );
}

export function isLow(row: Levelled): boolean {
  return row.stock_quantity <= row.low_stock_threshold;
}
