import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { PipelineOrder, PipelineRow } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { PageHead } from '../../controls/page-head';
import { Picker } from '../../controls/picker';
import { filtersOf } from '../orders/order-search';
import { useOrderTexts } from '../orders/order-texts';
import { orderList } from '../orders/orders.calls';
import { useChanges } from '../orders/use-changes';
import { SlipOnPaper } from '../printing/slip-on-paper';
import { Fault } from '../../messages/fault';
import { hasAlarm, rememberAlarm } from '../../session/preferences';
import { EmptyList } from '../../controls/empty-state';
import { useShopFilter } from '../../lists/list-filters';
import { useWayBack } from '../../lists/way-back';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { soundAlarm } from '../../messages/sounds';
import { type OnCode, useScanner } from '../../keyboard/scanner';
import { device, forgetPacking } from './kept-packing';
import { packedStatus } from './packing';
import { PackingOrder } from './packing-order';
import { usePackingTexts } from './packing-texts';
import { Stray } from './packing-warnings';
import css from './packing.module.css';

/** Loaded when it is opened. */
const ScannerDialog = lazy(() => import('./scanner-dialog'));

const route = getRouteApi('/inside/orders/pack');

/** One order at a time, the oldest first. The address names it, so that a reload and a colleague see the same. */
export default function PackingPage() {
  const texts = usePackingTexts();
  const { nameless } = useOrderTexts();
  const { shop, id } = route.useSearch();
  const navigate = route.useNavigate();
  const [isLoud, setLoud] = useState(hasAlarm);
  const [printed, setPrinted] = useState<{ order: PipelineOrder; job: string } | null>(null);
  const { onCode, takeCodes, isStray, understood } = useCodes(isLoud);
  const changes = useChanges(useWayBack('/orders/pack'));
  const { list, rows } = useQueue(shop, changes.decided);
  const go = (to: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, id: to }), replace: true });
  const first = rows[0]?.id;
  useEffect(() => {
    if (id === undefined && first !== undefined)
      void navigate({ search: (before) => ({ ...before, id: first }), replace: true });
  }, [id, first, navigate]);
  const onPacked = (seen: PipelineOrder, lotsBefore?: PipelineOrder['lots']) => {
    const customer = readableName(seen.customer_name) ?? nameless;
    const act = { kind: 'packed', to: packedStatus(seen), seen, ...(lotsBefore && { lotsBefore }) } as const;
    if (!changes.decide({ id: seen.id, customer }, act)) return;
    forgetPacking(seen.id, { storage: device, nowMs: Date.now() });
    setPrinted({ order: seen, job: crypto.randomUUID() });
    go(neighbour(rows, seen.id, 1) ?? neighbour(rows, seen.id, -1));
  };
  return (
    <div className={css.page}>
      <Head
        shop={shop}
        isLoud={isLoud}
        total={list.data?.pages[0]?.total}
        onShop={(chosen) =>
          void navigate({ search: chosen === undefined ? {} : { shop: chosen }, replace: true })
        }
        onLoud={() => {
          rememberAlarm(!isLoud);
          setLoud(!isLoud);
        }}
      />
      <CodeField onCode={onCode} />
      {isStray && <Stray onUnderstood={understood} />}
      {list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
      {list.isPending && <div className={css.ghost} aria-hidden />}
      {list.isSuccess && id === undefined && rows.length === 0 && (
        <EmptyList
          title={shop === undefined ? texts.none : texts.noneInShop}
          hint={texts.noneHint}
          onClear={shop === undefined ? null : () => void navigate({ search: {}, replace: true })}
        />
      )}
      {id !== undefined && (
        <PackingOrder
          key={id}
          id={id}
          isLoud={isLoud}
          onPacked={onPacked}
          takeCodes={takeCodes}
          isHeld={changes.decided.has(id)}
          onStep={(by) => {
            const to = neighbour(rows, id, by);
            const isGone = !rows.some((row) => row.id === id);
            if (to !== undefined || isGone) go(to);
          }}
        />
      )}
      {printed && <SlipOnPaper key={printed.job} order={printed.order} />}
    </div>
  );
}

/** Each character that is pressed on the page goes there; typed by a person, Enter ends the code. */
function CodeField({ onCode }: { onCode: OnCode }) {
  const texts = usePackingTexts();
  const field = useRef<HTMLInputElement>(null);
  useScanner(field, onCode);
  return (
    <label className={css.codeField}>
      {texts.code}
      {/* The keys of the page that are not characters act in it, too. */}
      <input
        ref={field}
        type="text"
        data-page-keys
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </label>
  );
}

/** Also for the codes that arrive while no order is shown. */
function useCodes(isLoud: boolean) {
  const taker = useRef<OnCode | null>(null);
  const [isStray, setStray] = useState(false);
  const onCode: OnCode = (code) => {
    const isTaken = taker.current !== null;
    setStray(!isTaken);
    if (!isTaken && isLoud) soundAlarm();
    taker.current?.(code);
  };
  const takeCodes = useCallback((next: OnCode | null) => {
    taker.current = next;
  }, []);
  return { onCode, takeCodes, isStray, understood: () => setStray(false) };
}

/** The orders that are to be packed, the oldest first, without those that this browser has just packed. */
function useQueue(shop: string | undefined, decided: ReadonlyMap<string, unknown>) {
  const filters = filtersOf({ status: 'awaiting_packing', sort: 'oldest', ...(shop && { shop }) });
  const list = useInfiniteQuery(orderList(filters));
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => data).filter(({ id }) => !decided.has(id));
  return { list, rows };
}

/** An order that left the list, as a packed one does, stands before the first. */
function neighbour(rows: readonly PipelineRow[], id: string, by: 1 | -1): string | undefined {
  const place = rows.findIndex((row) => row.id === id);
  const to = rows[place + by];
  return to?.id === id ? undefined : to?.id;
}

function SetUpScanner({ isLoud }: Pick<HeadProps, 'isLoud'>) {
  const texts = usePackingTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onPress={() => setOpen(true)}>
        {texts.scanner}
      </Button>
      <Suspense>{isOpen && <ScannerDialog isLoud={isLoud} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

interface HeadProps {
  shop: string | undefined;
  total: number | undefined;
  isLoud: boolean;
  onShop: (shop: string | undefined) => void;
  onLoud: () => void;
}

function Head({ shop, total, isLoud, onShop, onLoud }: HeadProps) {
  const texts = usePackingTexts();
  const { shell } = useTexts();
  const formats = useFormats();
  const { pickers, chips } = useShopFilter(shop, onShop);
  return (
    <div className={css.head}>
      <PageHead
        title={shell.packing}
        state={
          <span className={css.count} role="status">
            {total !== undefined && texts.waiting(total, formats.number(total))}
          </span>
        }
        about={texts.about}
        act={
          <div className={css.acts}>
            {pickers.map((picker) => (
              <Picker key={picker.label} {...picker} />
            ))}
            {chips.map(({ name, onRemove }) => (
              <Button key={name} onPress={onRemove}>
                {name}
              </Button>
            ))}
            <Button aria-pressed={isLoud} onPress={onLoud}>
              {texts.sounds}
            </Button>
            <SetUpScanner isLoud={isLoud} />
          </div>
        }
      />
    </div>
  );
}
