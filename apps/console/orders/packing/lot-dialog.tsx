import { useState } from 'react';
import { lotOf } from '@offizin/codes/lot';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { DraftForm } from '../../lists/draft-form';
import { soundAlarm, soundCounted } from '../../messages/sounds';
import { useDraft } from '../../session/use-draft';
import { readableOf } from '../../text/customer-name';
import { useFormats } from '../../text/texts';
import type { LotOfPacks } from '../orders/order-lots';
import { type Pack, type Packing, roomForLot } from './packing';
import { type Hold, type LotProblem, problemOf } from './packing-scan';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

interface Props {
  packing: Packing;
  line: number;
  holds: readonly Hold[];
  isLoud: boolean;
  onLot: (pack: Pack) => void;
  onClose: () => void;
}

interface Typed {
  lot: string;
  test: string;
  day: string;
  quantity: string;
}

/** As the server has it. */
const MAX_TEST_NUMBER = 40;

/** The lot of pieces whose pack has no code, such as flowers and what the pharmacy has made. */
export default function LotDialog({ packing, line, holds, isLoud, onLot, onClose }: Props) {
  const { typed: texts } = usePackingTexts();
  const { name = null, p1_id: p1Id = null } = packing.seen.items[line] ?? {};
  const room = roomForLot(packing, line);
  const empty: Typed = { lot: '', test: '', day: '', quantity: String(room) };
  // Of the product: its line may be another one in a newer version of the order.
  const draft = useDraft(packing.seen.id, `lot ${p1Id ?? name}`, empty);
  const [mistakes, setMistakes] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<LotProblem | null>(null);
  const { lot: typedLot, test, day, quantity: typedQuantity } = draft.value;
  const type = (typed: Partial<Typed>) => {
    setProblem(null);
    draft.change({ ...draft.value, ...typed });
  };
  const send = () => {
    const lot = lotOf(typedLot);
    const quantity = /^\d+$/.test(typedQuantity.trim()) ? Number(typedQuantity) : 0;
    const isPossible = quantity > 0 && quantity <= room;
    setMistakes({
      ...(lot === null && { lot: texts.lotMistake }),
      ...(!isPossible && { quantity: texts.quantityMistake(room) }),
    });
    if (lot === null || !isPossible) return;
    const expires_on = day === '' ? null : day;
    const found = problemNow({ lot, expires_on }, p1Id, holds);
    setProblem(found);
    if (isLoud) (found ? soundAlarm : soundCounted)();
    if (found) return;
    onLot({ line, quantity, lot: { lot, expires_on, test_number: test.trim() === '' ? null : test.trim() } });
    draft.discard();
    onClose();
  };
  return (
    <Dialog title={texts.title(readableOf(name, p1Id))} onClose={onClose}>
      <DraftForm
        draft={draft}
        does={texts.save}
        isReady={typedLot.trim() !== ''}
        validationBehavior="aria"
        validationErrors={mistakes}
        onSend={send}
        onClose={onClose}
      >
        <LotFields typed={draft.value} room={room} onType={type} />
        {problem && <Problem problem={problem} />}
      </DraftForm>
    </Dialog>
  );
}

interface LotFieldsProps {
  typed: Typed;
  room: number;
  onType: (typed: Partial<Typed>) => void;
}

function LotFields({ typed: { lot, test, day, quantity }, room, onType }: LotFieldsProps) {
  const { typed: texts } = usePackingTexts();
  return (
    <>
      <Field
        autoFocus
        name="lot"
        label={texts.lot}
        hint={texts.lotHint}
        value={lot}
        onChange={(number) => onType({ lot: number })}
        autoComplete="off"
        spellCheck="false"
      />
      <Field
        name="test"
        label={texts.test}
        value={test}
        onChange={(number) => onType({ test: number })}
        maxLength={MAX_TEST_NUMBER}
        autoComplete="off"
        spellCheck="false"
      />
      <Field
        name="day"
        type="date"
        label={texts.day}
        value={day}
        onChange={(chosen) => onType({ day: chosen })}
      />
      <Field
        name="quantity"
        inputMode="numeric"
        label={texts.quantity(room)}
        value={quantity}
        onChange={(count) => onType({ quantity: count })}
        autoComplete="off"
      />
    </>
  );
}

function problemNow(lot: Omit<LotOfPacks, 'test_number'>, p1Id: string | null, holds: readonly Hold[]) {
  return problemOf(lot, { p1Id, holds, nowMs: Date.now() });
}

function Problem({ problem }: { problem: LotProblem }) {
  const texts = usePackingTexts();
  const formats = useFormats();
  return (
    <p className={css.shout} role="alert">
      {problem.kind === 'expired'
        ? texts.typed.expired(formats.date(problem.day))
        : texts.typed.held(readableOf(problem.lot), readableOf(problem.reason))}
    </p>
  );
}
