import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LotHold } from '@offizin/contracts/orders/lot-holds';
import { ApiError } from '../calls/api';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { SearchList } from '../controls/search-list';
import { stockedProduct } from '../keyboard/scanned-product';
import { DraftForm } from '../lists/draft-form';
import { sentenceOf } from '../messages/fault';
import { toasts } from '../messages/toasts';
import { useDraft } from '../session/use-draft';
import { readableOf } from '../text/customer-name';
import { useTexts } from '../text/texts';
import { useRecallTexts } from './recall-texts';
import { hold as holdLot, lift, stockedProducts } from './recall.calls';
import css from './recall.module.css';

interface Props {
  lot: string;
  /** Undefined: the packs that were found name none, or several. */
  product: string | undefined;
  onClose: () => void;
}

const MAX_REASON = 200;

/** A lot is one of a product: two manufacturers may use the same number. */
export function HoldDialog({ lot, product, onClose }: Props) {
  const texts = useRecallTexts();
  const shared = useTexts();
  const draft = useDraft(`${lot} ${product ?? ''}`, 'hold', { product: product ?? null, reason: '' });
  const { mutate, error, isPending } = useChange(holdLot, texts.held(lot), () => {
    draft.discard();
    onClose();
  });
  const { product: chosen, reason } = draft.value;
  const failureOf = (refusal: Error) =>
    refusal instanceof ApiError && refusal.code === 'conflict' ? texts.conflict : sentenceOf(refusal, shared);
  const choose = (next: string | null) => draft.change((now) => ({ ...now, product: next }));
  return (
    <Dialog title={texts.holdTitle(lot)} isBusy={isPending} onClose={onClose}>
      <p>{texts.holdAbout}</p>
      {chosen === null ? (
        <Found onPick={choose} onClose={onClose} />
      ) : (
        <DraftForm
          draft={draft}
          does={texts.hold}
          kind="danger"
          isReady={reason.trim() !== ''}
          isPending={isPending}
          isBusy={isPending}
          failure={error && failureOf(error)}
          onSend={() => mutate({ p1_id: chosen, lot, reason: reason.trim() })}
          onClose={onClose}
        >
          <Chosen p1Id={chosen} onOther={() => choose(null)} />
          <Field
            autoFocus
            label={texts.reason}
            hint={texts.reasonHint}
            value={reason}
            onChange={(text) => draft.change((now) => ({ ...now, reason: text }))}
            maxLength={MAX_REASON}
          />
        </DraftForm>
      )}
    </Dialog>
  );
}

function Chosen({ p1Id, onOther }: { p1Id: string; onOther: () => void }) {
  const texts = useRecallTexts();
  const { data } = useQuery(stockedProduct(p1Id));
  const name = data?.data.find(({ p1_id: id }) => id === p1Id)?.name;
  return (
    <div className={css.chosen}>
      <strong>{readableOf(name, p1Id)}</strong>
      <Button kind="quiet" onPress={onOther}>
        {texts.otherProduct}
      </Button>
    </div>
  );
}

function Found({ onPick, onClose }: { onPick: (p1Id: string) => void; onClose: () => void }) {
  const texts = useRecallTexts();
  const shared = useTexts();
  const [words, setWords] = useState('');
  const { data, error } = useQuery({ ...stockedProducts(words.trim()), placeholderData: keepPreviousData });
  const items = (data?.data ?? []).map(({ p1_id: id, name, pzn }) => ({
    id,
    name: readableOf(name, id),
    facts: [id, ...(pzn === null ? [] : [pzn])],
  }));
  const nothing = error ? sentenceOf(error, shared) : data ? texts.noProduct : shared.shell.loading;
  return (
    <SearchList
      label={texts.searchProduct}
      words={words}
      onWords={setWords}
      items={items}
      nothing={nothing}
      onPick={onPick}
      onClose={onClose}
    />
  );
}

export function LiftDialog({ hold: { id, lot, reason }, onClose }: { hold: LotHold; onClose: () => void }) {
  const texts = useRecallTexts();
  const shared = useTexts();
  const { mutate, error, isPending } = useChange(lift, texts.lifted(lot), onClose);
  return (
    <Dialog title={texts.liftTitle(lot)} isAlert isBusy={isPending} onClose={onClose}>
      <p>{reason}</p>
      <p>{texts.liftAbout}</p>
      {error && <p role="alert">{sentenceOf(error, shared)}</p>}
      <DialogButtons>
        <Button autoFocus onPress={onClose}>
          {texts.cancel}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate(id)}>
          {texts.lift}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function useChange<Input, Reply>(send: (input: Input) => Promise<Reply>, said: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => {
      toasts.show({ text: said });
      onDone();
      // The packing station has its own copy.
      void client.invalidateQueries({ queryKey: ['orders', 'lot-holds'] });
      return client.invalidateQueries({ queryKey: ['lots'] });
    },
  });
}
