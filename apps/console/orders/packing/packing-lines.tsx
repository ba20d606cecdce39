import { useEffect, useRef } from 'react';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { CheckIcon } from '../../controls/icon';
import { readableOf } from '../../text/customer-name';
import type { LotOfPacks } from '../orders/order-lots';
import { useLotText } from '../orders/order-texts';
import { countOf, lotsOf, missing, type Packing, roomForLot, withoutLots } from './packing';
import { heldBy, type Hold } from './packing-scan';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

interface PackingLinesProps {
  packing: Packing;
  /** The line that the keys act on: where the last code was, or the arrows have gone. */
  chosen: number;
  isLocked: boolean;
  holds: readonly Hold[];
  onCount: (line: number, by: number) => void;
  /** A lot is to be typed. */
  onLot: (line: number) => void;
  onNoLot: (line: number, lot: LotOfPacks) => void;
}

/** What belongs into the parcel, in type that is read from a step away. */
export function PackingLines({ packing, chosen, ...props }: PackingLinesProps) {
  const texts = usePackingTexts();
  return (
    <ol className={css.lines} aria-label={texts.lines}>
      {packing.seen.items.map((_, line) => (
        <Line key={line} isChosen={line === chosen} packing={packing} line={line} {...props} />
      ))}
    </ol>
  );
}

interface LineProps extends Omit<PackingLinesProps, 'chosen'> {
  line: number;
  isChosen: boolean;
}

function Line({ packing, line, isChosen, onCount, ...props }: LineProps) {
  const texts = usePackingTexts();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const item = packing.seen.items[line];
  if (!item) return null;
  const left = missing(packing, line);
  const count = countOf(packing, line);
  const product = readableOf(item.name, item.p1_id);
  const act = (name: string, by: number, isDisabled: boolean, text: string) => (
    <Button
      aria-label={texts.of(name, product)}
      isDisabled={props.isLocked || isDisabled}
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
        <LineLots packing={packing} line={line} product={product} isChosen={isChosen} {...props} />
      </span>
      <span className={css.byHand}>
        {act(texts.less, -1, count === 0, '−')}
        {act(texts.more, 1, left === 0, '+')}
        {act(texts.all, left, left === 0, texts.all)}
      </span>
    </li>
  );
}

type LineLotsProps = Omit<LineProps, 'onCount'> & { product: string };

/** The lots that are written with the order, and what to look out for where no code names the lot. */
function LineLots({ packing, line, product, holds, isChosen, isLocked, onLot, onNoLot }: LineLotsProps) {
  const texts = usePackingTexts();
  const lotText = useLotText();
  const p1Id = packing.seen.items[line]?.p1_id ?? null;
  const lots = lotsOf(packing, line);
  const bare = withoutLots(packing, line);
  const held = holds.filter((hold) => hold.p1_id === p1Id);
  return (
    <span className={css.lots}>
      {held.length > 0 && (
        <span className={css.heldLots}>
          {texts.heldLots(
            held.map(({ lot, reason }) => `${readableOf(lot)} (${readableOf(reason)})`).join(', '),
          )}
        </span>
      )}
      {lots.map((lot) => (
        <span key={[lot.lot, lot.expires_on, lot.test_number].join(' ')} className={css.lot}>
          <span>
            {texts.pieces(lot.quantity)} {lotText(lot)} {lot.isBefore && <Chip>{texts.lotBefore}</Chip>}{' '}
            {heldBy(lot.lot, p1Id, holds) && <Chip tone="danger">{texts.lotHeld}</Chip>}
          </span>
          <Button
            kind="quiet"
            aria-label={texts.of(texts.noLot(lot.lot), product)}
            isDisabled={isLocked}
            onPress={() => {
              onNoLot(line, lot);
            }}
          >
            ×
          </Button>
        </span>
      ))}
      {bare > 0 && <Chip tone="warn">{texts.withoutLot(bare)}</Chip>}
      {roomForLot(packing, line) > 0 && (
        <Button
          kind="quiet"
          // The name must have the key that the button shows.
          aria-label={isChosen ? undefined : texts.of(texts.typeLot, product)}
          shortcut={isChosen ? 'F4' : undefined}
          isDisabled={isLocked}
          onPress={() => {
            onLot(line);
          }}
        >
          {texts.typeLot}
        </Button>
      )}
    </span>
  );
}
