import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CatalogProductSummary } from '@offizin/contracts/products/catalog-products';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { Field } from '../controls/field';
import { SearchList } from '../controls/search-list';
import { DraftForm } from '../lists/draft-form';
import { renewKey } from '../session/send-key';
import { type Draft, useDraft } from '../session/use-draft';
import { useFormats } from '../text/texts';
import { useFailure, useProductTexts } from './product-texts';
import { addableProducts, addProduct } from './products.calls';
import { useChange } from './use-change';
import css from './product-detail.module.css';

interface Props {
  onAdded: (p1Id: string) => void;
  onClose: () => void;
}

type CatalogProduct = CatalogProductSummary;

interface Chosen {
  product: CatalogProduct | null;
  pieces: string;
  /** The same for each attempt to add the same. */
  key: string;
}

/** As the server has it. */
const MAX_PIECES = 1_000_000;

/** A product of the platform's catalog becomes one of the pharmacy. */
export default function AddDialog({ onAdded, onClose }: Props) {
  const texts = useProductTexts();
  const [empty] = useState<Chosen>(() => ({ product: null, pieces: '0', key: crypto.randomUUID() }));
  const draft = useDraft('catalog', 'add-product', empty);
  const { product } = draft.value;
  const adding = useAdding(draft, { onAdded, onClose });
  const pick = (picked: CatalogProduct | null) => {
    adding.reset();
    draft.change({ ...draft.value, product: picked, key: crypto.randomUUID() });
  };
  return (
    <Dialog title={texts.addTitle} isBusy={adding.isPending} onClose={onClose}>
      {product ? (
        <Pieces
          draft={draft}
          product={product}
          adding={adding}
          onClose={onClose}
          onOther={() => pick(null)}
        />
      ) : (
        <Found onPick={pick} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface Addition {
  product: CatalogProduct;
  pieces: number;
}

function useAdding(draft: Draft<Chosen>, { onAdded, onClose }: Props) {
  const texts = useProductTexts();
  const { product, key } = draft.value;
  return useChange(({ product: added, pieces }: Addition) => addProduct(added, pieces, key), {
    said: texts.added(product?.name ?? ''),
    onDone: () => {
      draft.discard();
      onClose();
      if (product) onAdded(product.p1_id);
    },
    onError: (refusal) => renewKey(draft, refusal),
  });
}

function Found({ onPick, onClose }: { onPick: (product: CatalogProduct) => void; onClose: () => void }) {
  const texts = useProductTexts();
  const failure = useFailure();
  const formats = useFormats();
  const [words, setWords] = useState('');
  const { data, error } = useQuery({
    ...addableProducts(words.trim()),
    placeholderData: keepPreviousData,
  });
  const products = data ?? [];
  return (
    <SearchList
      label={texts.addSearch}
      words={words}
      onWords={setWords}
      items={products.map(({ p1_id: id, name, price }) => ({ id, name, facts: [id, formats.money(price)] }))}
      nothing={error ? failure(error) : data ? texts.addNone : texts.loading}
      onPick={(id) => {
        const product = products.find(({ p1_id }) => p1_id === id);
        if (product) onPick(product);
      }}
      onClose={onClose}
    />
  );
}

interface PiecesProps extends Pick<Props, 'onClose'> {
  draft: Draft<Chosen>;
  product: CatalogProduct;
  adding: ReturnType<typeof useAdding>;
  onOther: () => void;
}

function Pieces({ draft, product, adding, onOther, onClose }: PiecesProps) {
  const texts = useProductTexts();
  const failure = useFailure();
  const formats = useFormats();
  const { mutate, error, isPending } = adding;
  const { pieces: typed } = draft.value;
  const pieces = /^\d{1,7}$/.test(typed.trim()) ? Number(typed) : MAX_PIECES + 1;
  const isWrong = pieces > MAX_PIECES;
  return (
    <DraftForm
      draft={draft}
      does={texts.addNow}
      isReady={!isWrong}
      isPending={isPending}
      isBusy={isPending}
      failure={error && failure(error)}
      onSend={() => !isWrong && mutate({ product, pieces })}
      onClose={onClose}
    >
      <div className={css.picked}>
        {texts.picked(product.name, formats.money(product.price))}
        <Button kind="quiet" isDisabled={isPending} onPress={onOther}>
          {texts.other}
        </Button>
      </div>
      <Field
        autoFocus
        label={texts.pieces}
        hint={isWrong ? texts.wholeNumber : texts.piecesHint}
        inputMode="numeric"
        maxLength={16}
        isInvalid={isWrong}
        value={typed}
        onChange={(text) => draft.change({ ...draft.value, pieces: text, key: crypto.randomUUID() })}
      />
    </DraftForm>
  );
}
