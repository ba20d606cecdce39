import type { ReactNode } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { Differences } from '../orders/differences';
import { changedBy } from '../orders/order-change';
import { useOrderTexts } from '../orders/order-texts';
import { useKeys } from '../../keyboard/keys';
import { readableOf } from '../../text/customer-name';
import type { Packing } from './packing';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

/** What became of the last code. */
export type Said =
  | { kind: 'counted'; line: number; code: string }
  | { kind: 'full'; line: number; code: string }
  | { kind: 'wrong'; code: string }
  /** It was the label of a parcel, which the order has now, or which was not taken. */
  | { kind: 'parcel'; text: string }
  | { kind: 'noParcel'; why: string }
  /** `stopped`: the order has changed, nothing is counted until the new version is taken over. */
  | { kind: 'garbage' | 'stopped' };

export function isGood({ kind }: Said): boolean {
  return kind === 'counted' || kind === 'parcel';
}

interface Props {
  said: Said | null;
  packing: Packing;
  onUnderstood: () => void;
}

/** A right code is said quietly, a wrong one loudly: in words, in colour, and by the alarm. */
export function Shout({ said, packing, onUnderstood }: Props) {
  const texts = usePackingTexts();
  const nameOf = (line: number) => {
    const { name, p1_id } = packing.seen.items[line] ?? {};
    return readableOf(name, p1_id);
  };
  const counted = (line: number, code: string) => {
    const { quantity } = packing.seen.items[line] ?? {};
    if (quantity === undefined) return null;
    return texts.nowCounted({ product: nameOf(line), count: packing.counts[line] ?? 0, of: quantity, code });
  };
  if (said === null || said.kind === 'counted' || said.kind === 'parcel') {
    return (
      <p className={css.said} role="status">
        {said?.kind === 'parcel' ? said.text : said && counted(said.line, said.code)}
      </p>
    );
  }
  const words = {
    wrong: [texts.wrong, said.kind === 'wrong' ? texts.wrongWhy(said.code) : ''],
    full: [texts.full, said.kind === 'full' ? texts.fullWhy(nameOf(said.line)) : ''],
    noParcel: [texts.noParcel, said.kind === 'noParcel' ? said.why : ''],
    garbage: [texts.garbage, texts.garbageWhy],
    stopped: [texts.stopped, texts.blockedChanged],
  };
  const [title, why] = words[said.kind];
  return (
    <Warning title={title} onUnderstood={onUnderstood}>
      {why}
    </Warning>
  );
}

/** A code while no order was on the table. */
export function Stray({ onUnderstood }: Pick<Props, 'onUnderstood'>) {
  const texts = usePackingTexts();
  useKeys('page', [{ keys: 'Escape', does: texts.understood, run: onUnderstood }]);
  return (
    <div className={css.stray}>
      <Warning title={texts.stopped} onUnderstood={onUnderstood}>
        {texts.stray}
      </Warning>
    </div>
  );
}

interface WarningProps extends Pick<Props, 'onUnderstood'> {
  title: string | undefined;
  children: ReactNode;
}

function Warning({ title, children, onUnderstood }: WarningProps) {
  const texts = usePackingTexts();
  return (
    <div className={css.shout} role="alert">
      <strong>{title}</strong>
      <span>{children}</span>
      <Button shortcut="Escape" onPress={onUnderstood}>
        {texts.understood}
      </Button>
    </div>
  );
}

interface ChangedProps {
  seen: PipelineOrder;
  present: PipelineOrder;
  onGoOn: () => void;
}

/** A colleague or an integrator changed the order after packing began. */
export function Changed({ seen, present, onGoOn }: ChangedProps) {
  const texts = usePackingTexts();
  const { conflict } = useOrderTexts();
  return (
    <section className={css.changed} role="alert" aria-label={texts.changed}>
      <h3>{texts.changed}</h3>
      <p>{conflict.who(changedBy(seen, present).join(', '))}</p>
      <Differences seen={seen} present={present} />
      <div>
        <Button onPress={onGoOn}>{texts.goOn}</Button>
      </div>
    </section>
  );
}
