import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { ActionBar } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { CheckIcon } from '../../controls/icon';
import { useOrderTexts } from '../orders/order-texts';
import { orderDetail } from '../orders/orders.calls';
import { toneOfPayment } from '../orders/tones';
import { useBlocked } from '../orders/use-changes';
import { Fault } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import type { OnCode } from '../../keyboard/scanner';
import { TestChip } from '../../lists/test-chip';
import { useSession } from '../../session/session.calls';
import { useDraft } from '../../session/use-draft';
import { readableName, readableOf } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import { soundAlarm, soundCounted } from '../../messages/sounds';
import { AddParcel, PackedParcels, useLabels } from './packed-parcels';
import {
  beginPacking,
  countBy,
  goOnWith,
  hasBegun,
  isComplete,
  missing,
  openLines,
  type Packing,
  withParcelsOf,
} from './packing';
import { usePackingTexts } from './packing-texts';
import { Changed, isGood, type Said, Shout } from './packing-warnings';
import { useScannedCodes } from './scanned-codes';
import css from './packing.module.css';

interface Props {
  id: string;
  isLoud: boolean;
  /** A change of this order waits for its undo time or its answer. */
  isHeld: boolean;
  /** With the version that was on the screen. */
  onPacked: (seen: PipelineOrder) => void;
  onStep: (by: 1 | -1) => void;
  /** The codes are for the order that is shown; null: for none. */
  takeCodes: (taker: OnCode | null) => void;
}

/** The order on the table. It is created for each order, so no count of another one is left in it. */
export function PackingOrder(props: Props) {
  const texts = usePackingTexts();
  const { data: order, error, refetch } = useQuery(orderDetail(props.id));
  if (order) return <LoadedOrder order={order} {...props} />;
  if (error) return <Fault error={error} onAgain={() => void refetch()} />;
  return <section className={css.ghost} aria-label={texts.order} aria-busy />;
}

function LoadedOrder({
  order,
  isLoud,
  isHeld,
  onPacked,
  onStep,
  takeCodes,
}: Props & { order: PipelineOrder }) {
  const texts = usePackingTexts();
  const [said, setSaid] = useState<Said | null>(null);
  const [line, setLine] = useState(0);
  const { packing, isChanged, count, goOn } = usePacking(order);
  const say = (next: Said) => {
    setSaid(next);
    if (isLoud) (isGood(next) ? soundCounted : soundAlarm)();
  };
  const { takeLabel, isAdding } = useLabels(order, say);
  const isAlarmed = said !== null && !isGood(said);
  const reason = useReason({ order, packing, isChanged, isHeld: isHeld || isAdding, isAlarmed });
  const byHand = (at: number, by: number) => {
    if (isChanged) return;
    setLine(at);
    setSaid(null);
    count(countBy(packing, at, by));
  };
  const onCode = useScannedCodes({ packing, isChanged, count, onLine: setLine, takeLabel, say });
  useLayoutEffect(() => {
    takeCodes(onCode);
    return () => takeCodes(null);
  });
  const done = () => {
    if (reason === null) onPacked(packing.seen);
  };
  const understood = () => {
    setSaid(null);
  };
  usePackingKeys({ packing, line, setLine, byHand, done, understood, onStep });
  return (
    <section className={css.order} aria-label={texts.order}>
      <div className={css.scroll} tabIndex={0} role="region" aria-label={texts.lines}>
        <PackingHead order={order} />
        {isChanged && <Changed seen={packing.seen} present={order} onGoOn={goOn} />}
        <Shout said={said} packing={packing} onUnderstood={understood} />
        <PackingLines packing={packing} chosen={line} isLocked={isChanged} onCount={byHand} />
        <PackedParcels order={order} />
      </div>
      <ActionBar label={texts.acts} blocked={reason}>
        <Button kind="main" shortcut="Shift Enter" isDisabled={reason !== null} onPress={done}>
          {texts.done}
        </Button>
        <AddParcel order={order} />
        <Button kind="quiet" shortcut="PageDown" onPress={() => onStep(1)}>
          {texts.skip}
        </Button>
        <Button kind="quiet" shortcut="PageUp" onPress={() => onStep(-1)}>
          {texts.back}
        </Button>
      </ActionBar>
    </section>
  );
}

/** The counts are kept beside the answers of the server, so that another order in between loses none. */
function usePacking(order: PipelineOrder) {
  const draft = useDraft<Packing>(order.id, 'packing', beginPacking(order));
  const begun = hasBegun(draft.value) ? draft.value : beginPacking(order);
  const packing = withParcelsOf(begun, order);
  return {
    packing,
    isChanged: packing.seen.version !== order.version,
    count: draft.change,
    goOn: () => {
      draft.change(goOnWith(packing, order));
    },
  };
}

interface Obstacles {
  order: PipelineOrder;
  packing: Packing;
  isChanged: boolean;
  isHeld: boolean;
  isAlarmed: boolean;
}

/** Why the order cannot be called packed yet, as a sentence. */
function useReason({ order, packing, isChanged, isHeld, isAlarmed }: Obstacles): string | null {
  const texts = usePackingTexts();
  const orderTexts = useOrderTexts();
  const blocked = useBlocked(isHeld);
  if (blocked !== null) return blocked;
  if (order.status !== 'awaiting_packing') return texts.blockedStatus(orderTexts.status[order.status]);
  if (isChanged) return texts.blockedChanged;
  if (isAlarmed) return texts.blockedAlarm;
  if (order.items.length === 0) return texts.blockedEmpty;
  return isComplete(packing) ? null : texts.blockedOpen(openLines(packing));
}

interface Acts {
  packing: Packing;
  line: number;
  setLine: (line: number) => void;
  byHand: (line: number, by: number) => void;
  done: () => void;
  understood: () => void;
  onStep: Props['onStep'];
}

function usePackingKeys({ packing, line, setLine, byHand, done, understood, onStep }: Acts): void {
  const texts = usePackingTexts();
  const last = packing.seen.items.length - 1;
  const move = (by: number) => () => {
    setLine(Math.max(0, Math.min(last, line + by)));
  };
  const countLine = (by: number) => () => {
    byHand(line, by);
  };
  useKeys('page', [
    // No characters: those belong to a code. A scanner never sends Shift with Enter.
    { keys: 'Shift Enter', does: texts.done, run: done },
    { keys: 'ArrowDown', does: texts.nextLine, run: move(1), repeats: true },
    { keys: 'ArrowUp', does: texts.previousLine, run: move(-1), repeats: true },
    { keys: 'Shift ArrowUp', does: texts.more, run: countLine(1) },
    { keys: 'Shift ArrowDown', does: texts.less, run: countLine(-1) },
    { keys: 'Shift ArrowRight', does: texts.all, run: countLine(missing(packing, line)) },
    { keys: 'PageDown', does: texts.skip, run: () => onStep(1) },
    { keys: 'PageUp', does: texts.back, run: () => onStep(-1) },
    { keys: 'Escape', does: texts.understood, run: understood },
  ]);
}

/** Whose parcel it is, how it leaves, and what colleagues wrote down. */
function PackingHead({ order }: { order: PipelineOrder }) {
  const texts = usePackingTexts();
  const orderTexts = useOrderTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const shop = shops.length > 1 && shops.find(({ shop_id }) => shop_id === order.shop_id)?.name;
  const numbers = [order.order_number ?? order.external_id, shop].filter(Boolean).join(' · ');
  const notes = order.notes.filter(({ kind }) => kind === 'note');
  const packed = order.notes.find(({ kind }) => kind === 'packed');
  return (
    <header className={css.orderHead}>
      <h2>{readableName(order.customer_name) ?? orderTexts.nameless}</h2>
      <p className={css.numbers}>{numbers}</p>
      <div className={css.chips}>
        <TestChip of={order} />
        {order.shipping_option !== null && <Chip tone="info">{order.shipping_option}</Chip>}
        <Chip tone={toneOfPayment(order.payment_status)}>{orderTexts.payment[order.payment_status]}</Chip>
        {packed && <Chip tone="warn">{texts.packedBefore(packed.who, formats.dateTime(packed.at))}</Chip>}
      </div>
      {notes.length > 0 && (
        <ul className={css.notes} aria-label={texts.notes}>
          {notes.map(({ id, text, who }) => (
            <li key={id}>
              {text ?? orderTexts.noteErased} <span className={css.quiet}>{who}</span>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

interface PackingLinesProps {
  packing: Packing;
  /** The line that the keys act on: where the last code was, or the arrows have gone. */
  chosen: number;
  isLocked: boolean;
  onCount: (line: number, by: number) => void;
}

/** What belongs into the parcel, in type that is read from a step away. */
function PackingLines({ packing, chosen, isLocked, onCount }: PackingLinesProps) {
  const texts = usePackingTexts();
  return (
    <ol className={css.lines} aria-label={texts.lines}>
      {packing.seen.items.map((_, line) => (
        <Line
          key={line}
          isChosen={line === chosen}
          packing={packing}
          line={line}
          isLocked={isLocked}
          onCount={onCount}
        />
      ))}
    </ol>
  );
}

interface LineProps extends Omit<PackingLinesProps, 'chosen'> {
  line: number;
  isChosen: boolean;
}

function Line({ packing, line, isChosen, isLocked, onCount }: LineProps) {
  const texts = usePackingTexts();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const item = packing.seen.items[line];
  if (!item) return null;
  const left = missing(packing, line);
  const count = packing.counts[line] ?? 0;
  const product = readableOf(item.name, item.p1_id);
  const act = (name: string, by: number, isDisabled: boolean, text: string) => (
    <Button
      aria-label={texts.of(name, product)}
      isDisabled={isLocked || isDisabled}
      onPress={() => {
        onCount(line, by);
      }}
    >
      {text}
    </Button>
  );
  return (
    <li ref={row} className={css.line} data-chosen={isChosen} data-complete={left === 0}>
      <span className={css.counted}>
        {left === 0 && <CheckIcon />} {texts.counted(count, item.quantity)}
      </span>
      <span className={css.product}>
        {product}
        <span className={css.code}>
          {[item.p1_id ?? texts.noCode, ...(left === 0 ? [texts.complete] : [])].join(' · ')}
        </span>
      </span>
      <span className={css.byHand}>
        {act(texts.less, -1, count === 0, '−')}
        {act(texts.more, 1, left === 0, '+')}
        {act(texts.all, left, left === 0, texts.all)}
      </span>
    </li>
  );
}
