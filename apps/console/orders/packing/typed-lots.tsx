import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useKeys } from '../../keyboard/keys';
import { type Packing, roomForLot, withLot } from './packing';
import type { Hold } from './packing-scan';
import { usePackingTexts } from './packing-texts';

/** Loaded with the first key that opens it. */
const LotDialog = lazy(() => import('./lot-dialog'));

interface Typing {
  packing: Packing;
  /** The key acts on it. */
  line: number;
  holds: readonly Hold[];
  isLoud: boolean;
  isLocked: boolean;
  change: (line: number, next: Packing) => void;
}

/** Lots by hand, for tins without a code. */
export function useTypedLots({ packing, line, holds, isLoud, isLocked, change }: Typing): {
  askLot: (line: number) => void;
  dialog: ReactNode;
} {
  const texts = usePackingTexts();
  const [asked, setAsked] = useState<number | null>(null);
  // It could not be entered. What was typed is kept for its product.
  if (isLocked && asked !== null) setAsked(null);
  const askLot = (at: number) => {
    if (!isLocked && roomForLot(packing, at) > 0) setAsked(at);
  };
  // Not a character: those belong to a code.
  useKeys('page', [{ keys: 'F4', does: texts.typeLot, run: () => askLot(line) }]);
  const dialog = asked !== null && (
    <Suspense>
      <LotDialog
        packing={packing}
        line={asked}
        holds={holds}
        isLoud={isLoud}
        onLot={(pack) => change(asked, withLot(packing, pack))}
        onClose={() => setAsked(null)}
      />
    </Suspense>
  );
  return { askLot, dialog };
}
