import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useRef } from 'react';
import type { StockItem } from '@offizin/contracts/products/stock';
import { Button } from '../controls/button';
import { sentenceOf } from '../messages/fault';
import { useKeys } from '../keyboard/keys';
import { useDraft } from '../session/use-draft';
import { toasts } from '../messages/toasts';
import { useFormats, useTexts } from '../text/texts';
import { piecesOf } from './adjustment';
import { useStockTexts } from './stock-texts';
import { setThreshold } from './stock.calls';
import css from './stock-detail.module.css';

interface Props {
  item: StockItem;
  canChange: boolean;
}

/** The threshold, edited where it is shown. `t` leads to it, Enter saves, Escape takes back what was typed; all else keeps it. */
export function Threshold({ item, canChange }: Props) {
  const texts = useStockTexts();
  const shared = useTexts();
  const formats = useFormats();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { value: typed, change } = useDraft<string | null>(item.p1_id, 'threshold', null);
  const { save, error, isPending } = useSave(item, (saved) => change((now) => unsaved(now, saved)));
  useKeys('page', [
    { keys: 't', does: texts.editThreshold, hidden: !canChange, run: () => field.current?.select() },
  ]);
  const present = item.low_stock_threshold;
  const wanted = typed === null ? present : piecesOf('count', { pieces: typed });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (wanted !== null && wanted !== present) save(wanted);
  };
  if (!canChange)
    return (
      <p className={css.quiet}>
        {texts.threshold}: {formats.number(present)}
      </p>
    );
  return (
    <form className={css.threshold} onSubmit={submit}>
      <label htmlFor={id} className={css.label}>
        {texts.threshold}
      </label>
      <input
        ref={field}
        id={id}
        className={css.input}
        inputMode="numeric"
        maxLength={16}
        autoComplete="off"
        value={typed ?? String(present)}
        onChange={({ target }) => change(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') change(null);
        }}
        aria-invalid={wanted === null}
        aria-describedby={`${id}-hint`}
      />
      {wanted !== present && (
        <Button type="submit" isPending={isPending} isDisabled={wanted === null}>
          {texts.saveThreshold}
        </Button>
      )}
      <p id={`${id}-hint`} className={css.hint}>
        {texts.thresholdHint}
      </p>
      <div role="alert" className={css.mistake}>
        {wanted === null ? texts.wholeNumber : error && sentenceOf(error, shared)}
      </div>
    </form>
  );
}

/** Text typed while the threshold was being saved is kept. */
function unsaved(typed: string | null, saved: number): string | null {
  return typed !== null && piecesOf('count', { pieces: typed }) === saved ? null : typed;
}

function useSave({ p1_id: p1Id, name }: StockItem, onSaved: (threshold: number) => void) {
  const texts = useStockTexts();
  const formats = useFormats();
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (threshold: number) => setThreshold(p1Id, threshold),
    onSuccess: async ({ low_stock_threshold: threshold }) => {
      await client.invalidateQueries({ queryKey: ['stock'] });
      onSaved(threshold);
      toasts.show({ text: texts.thresholdSaved(name, formats.number(threshold)) });
    },
  });
  return { save: mutate, error, isPending };
}
