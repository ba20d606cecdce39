import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Chip } from '../controls/chip';
import { ListHead } from '../controls/list-head';
import { EmptyList } from '../controls/empty-state';
import { ListPage } from '../lists/list-page';
import { FigureCell, RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { type ListAddress, useListAddress } from '../lists/list-address';
import { TestChip } from '../lists/test-chip';
import { useListKeys } from '../keyboard/list-keys';
import { useSession } from '../session/session.calls';
import { usePeriodFilter, useShopFilter } from '../lists/list-filters';
import { useFormats } from '../text/texts';
import { Views } from '../views/views';
import { OpenPrescription } from './open-prescription';
import { isErased, nameOf, prescriptionList, type PrescriptionRow } from './prescriptions.calls';
import {
  filtersOf,
  isEmail,
  NO_FILTER,
  type PrescriptionSearch,
  readPrescriptionSearch,
} from './prescription-search';
import { usePrescriptionTexts } from './prescription-texts';
import css from './prescriptions.module.css';

const route = getRouteApi('/inside/prescriptions');

/** What platforms handed in, newest first, and one of it beside the list. The address holds filters and the open one. */
export default function PrescriptionsPage() {
  const texts = usePrescriptionTexts();
  const address = useListAddress(route.useSearch(), route.useNavigate(), NO_FILTER);
  const { search, open, onClear } = address;
  const [nowMs] = useState(() => Date.now());
  const isAskable = search.email === undefined || isEmail(search.email);
  const list = useInfiniteQuery({
    ...prescriptionList(filtersOf(search, nowMs)),
    enabled: isAskable,
  });
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => data);
  const selectedId = useListKeys(rows, search.id, open, texts);
  const total = isAskable ? list.data?.pages[0]?.pagination.total : undefined;
  const isEmpty = !isAskable || (list.isSuccess && rows.length === 0);
  const emptyTitle = isAskable ? (onClear ? texts.noneFiltered : texts.none) : texts.noEmail;
  return (
    <ListPage
      head={<Head address={address} total={total} />}
      list={list}
      empty={isEmpty ? <EmptyList title={emptyTitle} hint={texts.noneHint} onClear={onClear} /> : null}
      table={
        <PrescriptionTable rows={rows} selectedId={selectedId} total={total ?? 0} list={list} onOpen={open} />
      }
      detail={
        search.id !== undefined && (
          <OpenPrescription key={search.id} id={search.id} onClose={() => open(undefined)} />
        )
      }
    />
  );
}

interface HeadProps {
  address: ListAddress<PrescriptionSearch>;
  /** Exact, under all filters. */
  total: number | undefined;
}

/** Shop, e-mail, period; the server filters. */
function Head({ address: { search, show, go, onClear }, total }: HeadProps) {
  const texts = usePrescriptionTexts();
  const formats = useFormats();
  const shops = useShopFilter(search.shop, (shop) => show({ shop }));
  const period = usePeriodFilter(search.period, (chosen) => show({ period: chosen }), texts);
  return (
    <ListHead
      title={texts.title}
      about={texts.about}
      count={total === undefined ? undefined : texts.total(total, formats.number(total))}
      views={<Views screen="prescriptions" address={{ ...search }} read={readPrescriptionSearch} go={go} />}
      news={null}
      tabs={null}
      search={{ label: texts.email, q: search.email, onSearch: (email) => show({ email }) }}
      pickers={[...shops.pickers, period]}
      chips={shops.chips}
      onClear={onClear}
    />
  );
}

/** Height of a card in px. */
const CARD_PX = 76;
const COLUMNS = ['customer', 'email', 'shop', 'total', 'created'] as const;

interface Props extends ListedRows<PrescriptionRow> {
  total: number;
  onOpen: (id: string) => void;
}

function PrescriptionTable(list: Props) {
  const texts = usePrescriptionTexts();
  const { shops } = useSession();
  const columns = COLUMNS.filter((column) => column !== 'shop' || shops.length > 1);
  return (
    <RowGrid
      {...list}
      label={texts.title}
      className={shops.length > 1 ? `${css.table} ${css.withShops}` : (css.table ?? '')}
      columns={columns.map((column) => ({
        name: texts.column[column],
        className: css[column],
        isFigure: column === 'total',
      }))}
      cardPx={CARD_PX}
      cells={(row) => <Cells row={row} />}
    />
  );
}

function Cells({ row }: { row: PrescriptionRow }) {
  const texts = usePrescriptionTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const shop = shops.find(({ shop_id: id }) => id === row.shop_id)?.name ?? row.shop_id;
  const name = isErased(row) ? undefined : (nameOf(row) ?? texts.nameless);
  const total = row.order_total_amount === null ? '' : formats.money(row.order_total_amount);
  return (
    <>
      <span role="gridcell" className={css.customer} title={name}>
        {isErased(row) ? <Chip tone="warn">{texts.erased}</Chip> : <bdi>{name}</bdi>} <TestChip of={row} />
      </span>
      <TextCell className={css.email} text={row.customer_email ?? ''} />
      {shops.length > 1 && <TextCell className={css.shop} text={shop} />}
      <FigureCell className={css.total} text={total} />
      <TextCell className={css.created} text={formats.dateTime(row.created_at)} />
    </>
  );
}
