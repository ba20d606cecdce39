import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { LotHold } from '@offizin/contracts/orders/lot-holds';
import type { LotOrder } from '@offizin/contracts/orders/recall';
import { Button } from '../controls/button';
import { Chip } from '../controls/chip';
import { EmptyState } from '../controls/empty-state';
import { FilterTabs } from '../controls/filter-tabs';
import { PageHead } from '../controls/page-head';
import { useKeys } from '../keyboard/keys';
import { SaveList } from '../lists/save-list';
import { Fault } from '../messages/fault';
import { useBlocked } from '../session/use-blocked';
import { readableOf } from '../text/customer-name';
import { useFormats } from '../text/texts';
import { LotOrders } from './lot-orders';
import type { RecallSearch } from './recall-search';
import { useRecallTexts } from './recall-texts';
import { lotHolds, lotOrderFile, lotOrders, type WantedLot } from './recall.calls';
import css from './recall.module.css';

const HoldDialog = lazy(() =>
  import('./hold-dialogs').then(({ HoldDialog: Dialog }) => ({ default: Dialog })),
);
const LiftDialog = lazy(() =>
  import('./hold-dialogs').then(({ LiftDialog: Dialog }) => ({ default: Dialog })),
);

interface Props {
  wanted: WantedLot;
  onShow: (search: RecallSearch) => void;
}

/**
 * The orders of a lot, and its hold. One lot may be packed as several products, so a pack that was scanned shows the orders of all;
 * its product is the one that is put on hold.
 */
export function LotPage({ wanted, onShow }: Props) {
  const texts = useRecallTexts();
  const { lot } = wanted;
  const [only, setOnly] = useState<string>();
  const products = productsIn(useAllOrders({ lot, product: undefined }).rows);
  const shown = { lot, product: only };
  const { rows, isWhole, error, refetch } = useAllOrders(shown);
  const [first] = products;
  const product = only ?? wanted.product ?? (products.length === 1 ? first?.id : undefined);
  const name = products.find(({ id }) => id === product)?.name;
  const holds = useHolds(lot, product);
  // Of several products, one may be on hold and the other not: the person chooses first.
  const isOne = product !== undefined || (products.length <= 1 && holds.length <= 1);
  const hold = isOne ? holds[0] : undefined;
  return (
    <div className={css.page}>
      <PageHead
        title={texts.titleOf(lot)}
        state={<State rows={rows} isWhole={isWhole} isStopped={error !== null} hold={hold} />}
        about={
          <About
            product={name ?? product}
            held={holds.map((one) => ({ ...one, of: isOne ? undefined : nameIn(products, one.p1_id) }))}
          />
        }
        act={
          <Acts
            wanted={shown}
            product={product}
            hold={hold}
            canPrint={isWhole && rows.length > 0}
            onShow={onShow}
          />
        }
      />
      {products.length > 1 && (
        <FilterTabs
          label={texts.product}
          tabs={[{ id: '', name: texts.anyProduct }, ...products]}
          chosen={only ?? ''}
          onChoose={(id) => setOnly(id || undefined)}
        />
      )}
      {error && <Fault error={error} onAgain={() => void refetch()} />}
      {isWhole && rows.length === 0 && <EmptyState title={texts.none(lot)} hint={texts.noneHint} />}
      {rows.length > 0 && <LotOrders wanted={shown} rows={rows} />}
    </div>
  );
}

/** All pages, one after the other: a list that is printed has every order. */
function useAllOrders(wanted: WantedLot) {
  const { data, error, refetch, isSuccess, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(
    lotOrders(wanted),
  );
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  const rows = (data?.pages ?? []).flatMap((page) => page.data);
  return { rows, error, refetch, isWhole: isSuccess && !hasNextPage };
}

/** Those that the packs name. */
function productsIn(rows: readonly LotOrder[]): { id: string; name: string }[] {
  const names = new Map<string, string>();
  for (const { p1_id: id, name } of rows)
    if (id !== null && !names.has(id)) names.set(id, readableOf(name, id));
  return [...names].map(([id, name]) => ({ id, name }));
}

function nameIn(products: readonly { id: string; name: string }[], p1Id: string): string {
  return products.find(({ id }) => id === p1Id)?.name ?? p1Id;
}

/** Of several products that have the lot, each may have its hold. */
function useHolds(lot: string, product: string | undefined): LotHold[] {
  const { data } = useQuery(lotHolds());
  return (data?.data ?? []).filter(
    (held) => held.lot === lot && (product === undefined || held.p1_id === product),
  );
}

interface StateProps {
  rows: readonly LotOrder[];
  isWhole: boolean;
  /** By a failure: the list may lack orders. */
  isStopped: boolean;
  hold: LotHold | undefined;
}

function State({ rows, isWhole, isStopped, hold }: StateProps) {
  const texts = useRecallTexts();
  const formats = useFormats();
  const told = rows.filter(({ told_at: at }) => at !== null).length;
  const pieces = rows.reduce((sum, { quantity }) => sum + quantity, 0);
  const count = formats.number(rows.length);
  const whole = [texts.told(formats.number(told), count), texts.sum(pieces, formats.number(pieces))].join(
    ' · ',
  );
  const said = isStopped ? texts.incomplete(count) : isWhole ? whole : texts.loading(count);
  return (
    <>
      {hold && <Chip tone="danger">{texts.isOnHold}</Chip>}
      <span className={css.count} role="status">
        {rows.length > 0 && said}
      </span>
    </>
  );
}

interface AboutProps {
  product: string | undefined;
  /** `of`: the product, where the page shows several. */
  held: (Pick<LotHold, 'id' | 'held_at' | 'reason'> & { of: string | undefined })[];
}

function About({ product, held }: AboutProps) {
  const texts = useRecallTexts();
  const formats = useFormats();
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const now = () => flushSync(() => setNowMs(Date.now()));
    window.addEventListener('beforeprint', now);
    return () => window.removeEventListener('beforeprint', now);
  }, []);
  return (
    <>
      {product}
      {held.map(({ id, of, held_at: at, reason }) => (
        <span key={id} className={css.reason}>
          {of === undefined
            ? texts.isHeld(formats.dateTime(at), reason)
            : texts.isHeldOf(of, formats.dateTime(at), reason)}
        </span>
      ))}
      <span className={css.onPaper}>{texts.printed(formats.dateTime(new Date(nowMs).toISOString()))}</span>
    </>
  );
}

interface ActsProps extends Props {
  product: string | undefined;
  hold: LotHold | undefined;
  canPrint: boolean;
}

function Acts({ wanted, product, hold, canPrint, onShow }: ActsProps) {
  const texts = useRecallTexts();
  const [isAsked, setAsked] = useState(false);
  const blocked = useBlocked('order_requests.review', texts);
  const does = hold ? texts.lift : texts.hold;
  const ask = () => setAsked(blocked === null);
  const back = () => onShow({});
  const print = () => {
    if (canPrint) window.print();
  };
  useKeys('page', [
    { keys: 'h', does, run: ask },
    { keys: 'p', does: texts.print, run: print },
    { keys: 'Escape', does: texts.back, run: back },
  ]);
  const close = () => setAsked(false);
  return (
    <div className={css.acts}>
      <Button shortcut="Escape" onPress={back}>
        {texts.back}
      </Button>
      <Button kind={hold ? 'plain' : 'danger'} shortcut="h" isDisabled={blocked !== null} onPress={ask}>
        {does}
      </Button>
      <Button kind="main" shortcut="p" isDisabled={!canPrint} onPress={print}>
        {texts.print}
      </Button>
      <SaveList title={texts.titleOf(wanted.lot)} load={(type) => lotOrderFile(wanted, type)} />
      {blocked !== null && <p className={css.blocked}>{blocked}</p>}
      <Suspense>
        {isAsked && hold && <LiftDialog hold={hold} onClose={close} />}
        {isAsked && !hold && <HoldDialog lot={wanted.lot} product={product} onClose={close} />}
      </Suspense>
    </div>
  );
}
