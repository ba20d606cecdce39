import type { ReactNode } from 'react';
import type { Unreadable } from '@offizin/codes/scan';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { Differences } from '../orders/differences';
import { changedBy } from '../orders/order-change';
import { useOrderTexts } from '../orders/order-texts';
import { useKeys } from '../../keyboard/keys';
import { pictured } from '../../keyboard/scan-keys';
import { readableName, readableOf } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import { countOf, type Packing } from './packing';
import type { LotProblem } from './packing-scan';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

/** What became of the last code. */
export type Said =
  | { kind: 'counted'; line: number; code: string }
  | { kind: 'full'; line: number; code: string }
  | (LotProblem & { line: number; code?: string })
  | { kind: 'wrong'; product: string | null; code: string }
  | { kind: 'unreadable'; because: Unreadable; code: string }
  /** `unclear`: a code of two products; `unanswered`: the server did not say of which. */
  | { kind: 'unclear' | 'unanswered'; code: string }
  /** It was the label of a parcel, which the order has now, or which was not taken. */
  | { kind: 'parcel'; text: string }
  | { kind: 'noParcel'; why: string }
  /** The order was not packed, because its lots were not written. */
  | { kind: 'notWritten'; why: string }
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
    return texts.nowCounted({ product: nameOf(line), count: countOf(packing, line), of: quantity, code });
  };
  if (said === null || said.kind === 'counted' || said.kind === 'parcel') {
    return (
      <p className={css.said} role="status">
        {said?.kind === 'parcel' ? said.text : said && counted(said.line, pictured(said.code))}
      </p>
    );
  }
  return <Wrong said={said} nameOf={nameOf} onUnderstood={onUnderstood} />;
}

interface WrongProps extends Pick<Props, 'onUnderstood'> {
  said: Exclude<Said, { kind: 'counted' | 'parcel' }>;
  nameOf: (line: number) => string;
}

function Wrong({ said, nameOf, onUnderstood }: WrongProps) {
  const texts = usePackingTexts();
  const formats = useFormats();
  const [title, why] = ((): [title: string, why: string] => {
    switch (said.kind) {
      case 'wrong':
        return [texts.wrong, texts.wrongWhy(pictured(said.code), readableName(said.product))];
      case 'full':
        return [texts.full, texts.fullWhy(nameOf(said.line))];
      case 'expired':
        return [texts.expired, texts.expiredWhy(nameOf(said.line), formats.date(said.day))];
      case 'held':
        return [texts.held, texts.heldWhy(nameOf(said.line), said.lot, said.reason)];
      case 'notWritten':
        return [texts.notWritten, texts.notWrittenWhy(said.why)];
      case 'unreadable':
        return [texts.garbage, texts.unreadableWhy(texts.unreadable[said.because], pictured(said.code))];
      case 'unclear':
        return [texts.stopped, texts.unclear(pictured(said.code))];
      case 'unanswered':
        return [texts.stopped, texts.unanswered(pictured(said.code))];
      case 'noParcel':
        return [texts.noParcel, said.why];
      case 'garbage':
        return [texts.garbage, texts.garbageWhy];
      case 'stopped':
        return [texts.stopped, texts.blockedChanged];
    }
  })();
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
  title: string;
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
