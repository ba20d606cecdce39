import { useEffect, useRef } from 'react';
import { Button } from '../controls/button';
import { CheckIcon } from '../controls/icon';
import { missing, type Packing } from './packing';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

interface Props {
  packing: Packing;
  /** The line that the keys act on: where the last scan was, or the arrows have gone. */
  chosen: number;
  isLocked: boolean;
  onCount: (line: number, by: number) => void;
}

/** What belongs into the parcel, in type that is read from a step away. */
export function PackingLines({ packing, chosen, isLocked, onCount }: Props) {
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

interface LineProps extends Omit<Props, 'chosen'> {
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
  const product = item.name ?? item.p1_id ?? '';
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
