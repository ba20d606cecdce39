import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { ActionBar } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { useOrderTexts } from '../orders/order-texts';
import { lotHolds, orderDetail } from '../orders/orders.calls';
import { toneOfPayment } from '../orders/tones';
import { useBlocked } from '../orders/use-changes';
import { Fault } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import type { OnCode } from '../../keyboard/scanner';
import { TestChip } from '../../lists/test-chip';
import { useSession } from '../../session/session.calls';
import { useDraft } from '../../session/use-draft';
import { readableName } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import { soundAlarm, soundCounted } from '../../messages/sounds';
import { device, keepPacking, keptPacking } from './kept-packing';
import { AddParcel, PackedParcels, useLabels } from './packed-parcels';
import {
  beginPacking,
  countBy,
  goOnWith,
  hasBegun,
  isComplete,
  linesWithoutLots,
  missing,
  openLines,
  type Packing,
  withoutLot,
  withOwnChanges,
} from './packing';
import { PackingLines } from './packing-lines';
import { firstProblem, type Hold } from './packing-scan';
import { usePackingTexts } from './packing-texts';
import { Changed, isGood, type Said, Shout } from './packing-warnings';
import { useScannedCodes } from './scanned-codes';
import { useTypedLots } from './typed-lots';
import { useWrittenLots } from './written-lots';
import css from './packing.module.css';

interface Props {
  id: string;
  isLoud: boolean;
  /** A change of this order waits for its undo time or its answer. */
  isHeld: boolean;
  /** With the version that was on the screen. `lotsBefore`: its lots until they were written. */
  onPacked: (seen: PipelineOrder, lotsBefore?: PipelineOrder['lots']) => void;
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

const NO_HOLDS: readonly Hold[] = [];

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
  const holds = useQuery(lotHolds).data?.data ?? NO_HOLDS;
  const { packing, isChanged, count, goOn } = usePacking(order);
  const say = (next: Said) => {
    setSaid(next);
    if (isLoud) (isGood(next) ? soundCounted : soundAlarm)();
  };
  const { takeLabel, isAdding } = useLabels(order, say);
  const { write, isWriting } = useWrittenLots({ packing, onPacked, say });
  const isWaiting = isHeld || isAdding || isWriting;
  const isAlarmed = said !== null && !isGood(said);
  const reason = useReason({ order, packing, holds, isChanged, isWaiting, isAlarmed });
  const change = (at: number, next: Packing) => {
    if (isChanged) return;
    setLine(at);
    setSaid(null);
    count(next);
  };
  const byHand = (at: number, by: number) => {
    change(at, countBy(packing, at, by));
  };
  const { askLot, dialog } = useTypedLots({ packing, line, holds, isLoud, isLocked: isChanged, change });
  const onCode = useScannedCodes({ packing, isChanged, count, onLine: setLine, takeLabel, say });
  useLayoutEffect(() => {
    takeCodes(onCode);
    return () => takeCodes(null);
  });
  const done = () => {
    if (reason === null) write();
  };
  const step = (by: 1 | -1) => {
    if (!isWriting) onStep(by);
  };
  const understood = () => {
    setSaid(null);
  };
  usePackingKeys({ packing, line, setLine, byHand, done, understood, onStep: step });
  return (
    <section className={css.order} aria-label={texts.order}>
      <div className={css.scroll} tabIndex={0} role="region" aria-label={texts.lines}>
        <PackingHead order={order} />
        {isChanged && <Changed seen={packing.seen} present={order} onGoOn={goOn} />}
        <Shout said={said} packing={packing} onUnderstood={understood} />
        <PackingLines
          packing={packing}
          holds={holds}
          chosen={line}
          isLocked={isChanged}
          onCount={byHand}
          onLot={askLot}
          onNoLot={(at, lot) => change(at, withoutLot(packing, at, lot))}
        />
        <PackedParcels order={order} />
      </div>
      <PackingActs
        order={order}
        packing={packing}
        reason={reason}
        isWriting={isWriting}
        onDone={done}
        onStep={step}
      />
      {dialog}
    </section>
  );
}

interface PackingActsProps {
  order: PipelineOrder;
  packing: Packing;
  /** Why it cannot be packed yet. */
  reason: string | null;
  isWriting: boolean;
  onDone: () => void;
  onStep: Props['onStep'];
}

function PackingActs({ order, packing, reason, isWriting, onDone, onStep }: PackingActsProps) {
  const texts = usePackingTexts();
  const bare = linesWithoutLots(packing);
  return (
    <ActionBar label={texts.acts} blocked={reason ?? (bare === 0 ? null : texts.linesWithoutLots(bare))}>
      <Button
        kind="main"
        shortcut="Shift Enter"
        isDisabled={reason !== null}
        isPending={isWriting}
        onPress={onDone}
      >
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
  );
}

/**
 * The pieces are kept beside the answers of the server, so that another order in between loses none, and on the device, so
 * that a closed tab loses none.
 */
function usePacking(order: PipelineOrder) {
  const staffId = useSession().staff.id;
  const [start] = useState(
    () => keptPacking(order, { storage: device, staffId, nowMs: Date.now() }) ?? beginPacking(order),
  );
  const { value, change, isKept } = useDraft<Packing>(order.id, 'packing', start);
  const isBegun = hasBegun(value);
  useEffect(() => {
    if (isKept || isBegun) keepPacking(value, { storage: device, staffId, nowMs: Date.now() });
  }, [value, isKept, isBegun, staffId]);
  const packing = withOwnChanges(isBegun ? value : beginPacking(order), order);
  return {
    packing,
    isChanged: packing.seen.version !== order.version,
    count: change,
    goOn: () => {
      change(goOnWith(packing, order));
    },
  };
}

interface Obstacles {
  order: PipelineOrder;
  packing: Packing;
  holds: readonly Hold[];
  isChanged: boolean;
  /** For an answer, or for the undo time of a change. */
  isWaiting: boolean;
  isAlarmed: boolean;
}

/** Why the order cannot be called packed yet, as a sentence. */
function useReason({ order, packing, holds, isChanged, isWaiting, isAlarmed }: Obstacles): string | null {
  const texts = usePackingTexts();
  const orderTexts = useOrderTexts();
  const formats = useFormats();
  const [nowMs] = useState(() => Date.now());
  const blocked = useBlocked(isWaiting);
  if (blocked !== null) return blocked;
  if (order.status !== 'awaiting_packing') return texts.blockedStatus(orderTexts.status[order.status]);
  if (isChanged) return texts.blockedChanged;
  if (isAlarmed) return texts.blockedAlarm;
  if (order.items.length === 0) return texts.blockedEmpty;
  const problem = firstProblem(packing, { holds, nowMs });
  if (problem?.kind === 'held') return texts.blockedHeld(problem.lot, problem.reason);
  if (problem) return texts.blockedExpired(problem.lot, formats.date(problem.day));
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
