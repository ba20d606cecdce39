import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { StockResponse, StockRow } from '@offizin/contracts/products/stock';
import { Button } from '../controls/button';
import { Chip } from '../controls/chip';
import { FilterTabs } from '../controls/filter-tabs';
import { ListHead } from '../controls/list-head';
import { EmptyList, EmptyState } from '../controls/empty-state';
import { ListPage } from '../lists/list-page';
import { FigureCell, RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { News } from '../live/news';
import { useQuietRows } from '../live/use-quiet-rows';
import { type ListAddress, useListAddress } from '../lists/list-address';
import { useListKeys } from '../keyboard/list-keys';
import { SaveList } from '../lists/save-list';
import { readableProduct } from '../text/product-name';
import { useFormats, useTexts } from '../text/texts';
import { Views } from '../views/views';
import { isLow, Level } from './level';
import { OpenStock } from './open-stock';
import { filtersOf, readStockSearch, type StockSearch } from './stock-search';
import { useStockTexts } from './stock-texts';
import { useBookings } from './use-stock-scans';
import { stockFile, stockList } from './stock.calls';
import css from './stock.module.css';

/** Loaded when it is needed. */
const ScanAlarm = lazy(() => import('../keyboard/scan-alarm'));

const route = getRouteApi('/inside/stock');

/** The stock by product, and one product beside the list. The address holds filter and the open product. */
export default function StockPage() {
  const texts = useStockTexts();
  const address = useListAddress(route.useSearch(), route.useNavigate(), { q: undefined });
  const { search, open } = address;
  const filters = filtersOf(search);
  const list = useInfiniteQuery(stockList(filters));
  const first = list.data?.pages[0];
  const all = useMemo(
    () =>
      (list.data?.pages ?? []).flatMap(({ data }) =>
        data.map((row) => ({ ...readableProduct(row), id: row.p1_id })),
      ),
    [list.data],
  );
  const { rows, waiting, showAll } = useQuietRows(JSON.stringify(filters), all);
  const selectedId = useListKeys(rows, search.id, open, texts);
  const isEmpty = list.isSuccess && rows.length === 0;
  const { wrong, understood, ...bookings } = useBookings(search.id, open);
  return (
    <ListPage
      head={
        <>
          <Head
            address={address}
            totals={first}
            news={<News count={waiting} name={texts.news(waiting)} does={texts.showNews} onShow={showAll} />}
          />
          <Suspense>{wrong && <ScanAlarm scan={wrong} onUnderstood={understood} />}</Suspense>
        </>
      }
      list={list}
      empty={isEmpty ? <Empty {...address} /> : null}
      table={
        <StockTable
          rows={rows}
          selectedId={selectedId}
          total={(search.low ? first?.low_total : first?.total) ?? 0}
          list={list}
          onOpen={open}
        />
      }
      detail={
        search.id !== undefined && (
          <OpenStock key={search.id} id={search.id} onClose={() => open(undefined)} {...bookings} />
        )
      }
    />
  );
}

interface HeadProps {
  address: ListAddress<StockSearch>;
  totals: StockResponse | undefined;
  news: ReactNode;
}

function Head({ address: { search, show, go, onClear }, totals, news }: HeadProps) {
  const texts = useStockTexts();
  const { shell } = useTexts();
  const formats = useFormats();
  const load = (csvType: string) => stockFile(filtersOf(search), csvType);
  const tabs = [
    { id: '' as const, name: texts.all, count: totals && formats.number(totals.total) },
    { id: 'true' as const, name: texts.low, count: totals && formats.number(totals.low_total) },
  ];
  return (
    <ListHead
      title={texts.title}
      about={texts.about}
      count={totals && texts.total(totals.total, formats.number(totals.total))}
      views={<Views screen="stock" address={{ ...search }} read={readStockSearch} go={go} />}
      news={news}
      tabs={
        <FilterTabs
          label={texts.tabs}
          tabs={tabs}
          chosen={search.low ?? ''}
          onChoose={(id) => show({ low: id === '' ? undefined : id })}
        />
      }
      search={{
        label: texts.search,
        q: search.q,
        whileTyping: true,
        onSearch: (q) => show({ q, id: search.id }),
      }}
      pickers={[]}
      chips={[]}
      acts={
        <>
          <Link to="/recall" className={css.recall ?? ''}>
            {shell.recall}
          </Link>
          <SaveList title={texts.title} load={load} />
        </>
      }
      onClear={onClear}
    />
  );
}

/** Three empty states: none at all, none under this filter, none that is low. */
function Empty({ search, show, onClear }: Pick<ListAddress<StockSearch>, 'search' | 'show' | 'onClear'>) {
  const texts = useStockTexts();
  if (onClear) return <EmptyList title={texts.emptyFiltered} onClear={onClear} />;
  if (search.low)
    return (
      <EmptyState title={texts.emptyLow} hint={texts.emptyLowHint}>
        <Button onPress={() => show({ low: undefined })}>{texts.showAll}</Button>
      </EmptyState>
    );
  return (
    <EmptyState title={texts.emptyNone} hint={texts.emptyNoneHint}>
      <Link to="/products">{texts.toProducts}</Link>
    </EmptyState>
  );
}

/** Height of a card in px. */
const CARD_PX = 68;

const COLUMNS = ['name', 'strength', 'available', 'reserved', 'quantity', 'level', 'state'] as const;
const FIGURES: ReadonlySet<string> = new Set(['available', 'reserved', 'quantity']);

interface ListedStock extends StockRow {
  id: string;
}

interface Props extends ListedRows<ListedStock> {
  total: number;
  onOpen: (id: string) => void;
}

function StockTable(props: Props) {
  const texts = useStockTexts();
  return (
    <RowGrid
      {...props}
      label={texts.listLabel}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({
        name: texts.column[column],
        className: css[column],
        isFigure: FIGURES.has(column),
      }))}
      cardPx={CARD_PX}
      cells={(row) => <Cells row={row} />}
    />
  );
}

function Cells({ row }: { row: ListedStock }) {
  const texts = useStockTexts();
  const formats = useFormats();
  const strength = (['thc', 'cbd'] as const).flatMap((name) => {
    const share = row[name];
    return share === null ? [] : [`${name.toUpperCase()} ${formats.number(share)}`];
  });
  return (
    <>
      <TextCell className={css.name} text={row.name} />
      <TextCell className={css.strength} text={strength.join(' · ')} />
      <FigureCell className={css.available} text={formats.number(row.available_quantity)} />
      <FigureCell className={css.reserved} text={formats.number(row.reserved_quantity)} />
      <FigureCell className={css.quantity} text={formats.number(row.stock_quantity)} />
      <span role="gridcell" className={css.level}>
        <Level row={row} />
      </span>
      <span role="gridcell" className={css.state}>
        {isLow(row) && <Chip tone="warn">{texts.low}</Chip>}
      </span>
    </>
  );
}
