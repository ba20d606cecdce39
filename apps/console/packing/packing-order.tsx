import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { orderDetail } from '../orders/orders.calls';
import { useBlocked } from '../orders/use-blocked';
import { useOrderTexts } from '../orders/order-texts';
import { Fault } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { useDraft } from '../shell/use-draft';
import { soundAlarm } from './alarm';
import {
  beginPacking,
  countBy,
  countScan,
  goOnWith,
  hasBegun,
  isComplete,
  missing,
  openLines,
} from './packing';
import type { Packing } from './packing';
import { PackingHead } from './packing-head';
import { PackingLines } from './packing-lines';
import { usePackingTexts } from './packing-texts';
import { Changed, type Said, Shout } from './packing-warnings';
import type { OnScan } from './use-scanner';
import css from './packing.module.css';

interface Props {
  id: string;
  isLoud: boolean;
  /** A change of this order waits for its undo time or its answer. */
  isHeld: boolean;
  /** With the version that was on the screen. */
  onPacked: (seen: PipelineOrder) => void;
  onStep: (by: 1 | -1) => void;
  /** The scans are for the order that is shown; null: for none. */
  takeScans: (taker: OnScan | null) => void;
}

/** The order on the table. It is made anew for each order, so no count of another one is left in it. */
export function PackingOrder(props: Props) {
  const texts = usePackingTexts();
  const { org } = useSession();
  const { data: order, error, refetch } = useQuery(orderDetail(org.id, props.id));
  if (order) return <Shown order={order} {...props} />;
  if (error) return <Fault error={error} onAgain={() => void refetch()} />;
  return <section className={css.ghost} aria-label={texts.order} aria-busy />;
}

function Shown({ order, isLoud, isHeld, onPacked, onStep, takeScans }: Props & { order: PipelineOrder }) {
  const texts = usePackingTexts();
  const [said, setSaid] = useState<Said | null>(null);
  const [line, setLine] = useState(0);
  const { packing, isChanged, count, goOn } = usePacking(order);
  const shout = said && said.kind !== 'counted' ? said : null;
  const reason = useReason({ order, packing, isChanged, isHeld, isAlarmed: shout !== null });
  const say = (next: Said) => {
    setSaid(next);
    if (isLoud && next.kind !== 'counted') soundAlarm();
  };
  const byHand = (at: number, by: number) => {
    if (isChanged) return;
    setLine(at);
    setSaid(null);
    count(countBy(packing, at, by));
  };
  const scanned = (code: string | null) => {
    if (isChanged) return say({ kind: 'stopped' });
    if (code === null) return say({ kind: 'garbage' });
    const result = countScan(packing, code);
    if (result.kind !== 'wrong') setLine(result.line);
    if (result.kind === 'counted') count(result.packing);
    return say(result.kind === 'wrong' ? { kind: 'wrong', code } : { kind: result.kind, line: result.line });
  };
  useLayoutEffect(() => {
    takeScans(scanned);
    return () => takeScans(null);
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
      </div>
      <ActionBar label={texts.acts} blocked={reason}>
        <Button kind="main" shortcut="Shift Enter" isDisabled={reason !== null} onPress={done}>
          {texts.done}
        </Button>
        <Button kind="quiet" shortcut="j" onPress={() => onStep(1)}>
          {texts.skip}
        </Button>
        <Button kind="quiet" shortcut="k" onPress={() => onStep(-1)}>
          {texts.back}
        </Button>
      </ActionBar>
    </section>
  );
}

/** The counts are kept beside the answers of the server, so that another order in between loses none. */
function usePacking(order: PipelineOrder) {
  const draft = useDraft<Packing>(order.id, 'packing', beginPacking(order));
  const packing = hasBegun(draft.value) ? draft.value : beginPacking(order);
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
    // A scanner never sends Shift with Enter.
    { keys: 'Shift Enter', does: texts.done, run: done },
    { keys: 'ArrowDown', does: texts.nextLine, run: move(1), repeats: true },
    { keys: 'ArrowUp', does: texts.previousLine, run: move(-1), repeats: true },
    { keys: '+', does: texts.more, run: countLine(1) },
    { keys: '-', does: texts.less, run: countLine(-1) },
    { keys: 'a', does: texts.all, run: countLine(missing(packing, line)) },
    { keys: 'j', does: texts.skip, run: () => onStep(1) },
    { keys: 'k', does: texts.back, run: () => onStep(-1) },
    { keys: 'Escape', does: texts.understood, run: understood },
  ]);
}
