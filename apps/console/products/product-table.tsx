import type { AssortmentRow, LayeredPrice } from '@offizin/contracts/products/assortment';
import { Chip } from '../controls/chip';
import { FigureCell, RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import type { Selecting } from '../lists/use-selection';
import { useFormats } from '../text/texts';
import { type Layer, LAYERS, priceOf, sourceOf } from './layers';
import { useProductTexts } from './product-texts';
import css from './product-table.module.css';

/** Height of a card in px. */
const CARD_PX = 68;

const COLUMNS = ['name', ...LAYERS, 'price', 'state'] as const;

export interface ProductRow extends AssortmentRow {
  id: string;
}

interface Props extends ListedRows<ProductRow> {
  total: number;
  onOpen: (id: string) => void;
  selecting: Selecting<ProductRow>;
}

export function ProductTable({ selecting: { selection, mark }, ...list }: Props) {
  const texts = useProductTexts();
  return (
    <RowGrid
      {...list}
      label={texts.listLabel}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({
        name: texts.column[column],
        className: css[column],
        isFigure: column !== 'name' && column !== 'state',
      }))}
      cardPx={CARD_PX}
      marks={{
        column: texts.select.column,
        has: (id) => selection.has(id),
        onMark: mark,
        nameOf: ({ name }) => texts.select.row(name),
      }}
      cells={(row) => <Cells row={row} />}
    />
  );
}

function Cells({ row }: { row: ProductRow }) {
  const texts = useProductTexts();
  const formats = useFormats();
  return (
    <>
      <TextCell className={css.name} text={row.name} />
      {LAYERS.map((layer) => (
        <LayerCell key={layer} layer={layer} price={row.price} />
      ))}
      <FigureCell className={css.price} text={formats.money(priceOf(row.price))} />
      <span role="gridcell" className={css.state}>
        {!row.attached && <Chip>{texts.detached}</Chip>} {!row.available && <Chip>{texts.notOffered}</Chip>}
      </span>
    </>
  );
}

/** The price of one layer; those that another one overlays are quiet. */
function LayerCell({ layer, price }: { layer: Layer; price: LayeredPrice }) {
  const texts = useProductTexts();
  const formats = useFormats();
  const euros = price[layer];
  const text = euros === null ? texts.none : formats.money(euros);
  return <FigureCell className={css[layer]} text={text} isQuiet={sourceOf({ ...price }) !== layer} />;
}
