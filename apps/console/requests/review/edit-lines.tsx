import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReviewProduct } from '@offizin/contracts/requests/review-products';
import { Button } from '../../controls/button';
import { Field } from '../../controls/field';
import { SearchList } from '../../controls/search-list';
import { sentenceOf } from '../../messages/fault';
import { readableOf } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { addedLine, type LineDraft, matchedTo } from '../edits/edit-form';
import css from './dialogs.module.css';
import { foundProducts } from './requests.calls';
import { usePlanTexts } from './plan-texts';

interface Props {
  lines: readonly LineDraft[];
  /** The text of an amount in its field. */
  amount: (euros: number) => string;
  onChange: (lines: readonly LineDraft[]) => void;
}

/** Product, quantity and price of each line. The fields are named as the API names the lines that stay. */
export function EditLines({ lines, amount, onChange }: Props) {
  const { requests } = useTexts();
  return (
    <>
      {lines.length === 0 && <p className={css.quiet}>{requests.noLines}</p>}
      <ul className={css.lines}>
        {lines.map((draft, at) => (
          <li key={at}>
            <EditLine
              isFirst={at === 0}
              draft={draft}
              path={`items[${lines.slice(0, at).filter(({ isRemoved }) => !isRemoved).length}]`}
              onChange={(change) => {
                onChange(lines.map((other, index) => (index === at ? { ...other, ...change } : other)));
              }}
            />
          </li>
        ))}
      </ul>
      <AddLine
        onPick={(product) => {
          onChange([...lines, addedLine(product, amount)]);
        }}
      />
    </>
  );
}

function AddLine({ onPick }: { onPick: (product: ReviewProduct) => void }) {
  const { edit } = usePlanTexts();
  const search = useProductSearch(onPick);
  if (search.isOpen) return <ProductPicker label={edit.findProduct} {...search.handlers} />;
  return (
    <div className={css.add}>
      <Button kind="quiet" onPress={search.open}>
        {edit.addLine}
      </Button>
    </div>
  );
}

interface LineProps {
  /** The dialog begins in its quantity. */
  isFirst: boolean;
  draft: LineDraft;
  /** Of the line in the API's body. */
  path: string;
  onChange: (change: Partial<LineDraft>) => void;
}

function EditLine({ isFirst, draft, path, onChange }: LineProps) {
  const { line, isRemoved } = draft;
  const { deciding } = useTexts();
  const { edit } = usePlanTexts();
  const product = readableOf(line.product_name, line.name, line.p1_id);
  const searchName = line.in_inventory ? edit.otherProduct : edit.matchProduct;
  const search = useProductSearch((picked) => {
    onChange({ line: matchedTo(line, picked) });
  });
  return (
    <div role="group" aria-label={product} className={css.line} data-removed={isRemoved}>
      <strong className={css.product}>
        {product} {isRemoved && <span className={css.quiet}>{edit.removed}</span>}
      </strong>
      {!isRemoved && <LineFields isFirst={isFirst} draft={draft} path={path} onChange={onChange} />}
      <Button
        kind="quiet"
        aria-label={isRemoved ? edit.restoreLine(product) : edit.removeLine(product)}
        onPress={() => {
          onChange({ isRemoved: !isRemoved });
        }}
      >
        {isRemoved ? edit.restore : deciding.remove}
      </Button>
      {!isRemoved &&
        (search.isOpen ? (
          <ProductPicker label={`${edit.findProduct}: ${product}`} words={product} {...search.handlers} />
        ) : (
          <div className={css.match}>
            <Button kind="quiet" aria-label={`${searchName}: ${product}`} onPress={search.open}>
              {searchName}
            </Button>
          </div>
        ))}
    </div>
  );
}

function LineFields({ isFirst, draft: { quantity, price }, path, onChange }: LineProps) {
  const { edit } = usePlanTexts();
  return (
    <>
      <Field
        label={edit.quantity}
        autoFocus={isFirst}
        onFocus={({ target }) => {
          if (target instanceof HTMLInputElement) target.select();
        }}
        name={`${path}.qty`}
        inputMode="numeric"
        maxLength={7}
        value={quantity}
        onChange={(text) => {
          onChange({ quantity: text });
        }}
      />
      <Field
        label={edit.price}
        name={`${path}.price`}
        inputMode="decimal"
        maxLength={20}
        value={price}
        onChange={(text) => {
          onChange({ price: text });
        }}
      />
    </>
  );
}

function useProductSearch(onPick: (product: ReviewProduct) => void) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => {
    setIsOpen(false);
  };
  return {
    isOpen,
    open: () => {
      setIsOpen(true);
    },
    handlers: {
      onClose: close,
      onPick: (product: ReviewProduct) => {
        close();
        onPick(product);
      },
    },
  };
}

interface ProductPickerProps {
  label: string;
  /** What the search begins with: the name that the partner sent. */
  words?: string;
  onPick: (product: ReviewProduct) => void;
  onClose: () => void;
}

/** Finds a product of the inventory by a part of its name. */
function ProductPicker({ label, words: first = '', onPick, onClose }: ProductPickerProps) {
  const texts = useTexts();
  const { edit } = usePlanTexts();
  const factsOf = useFacts();
  const [words, setWords] = useState(first);
  const { data, error } = useQuery({
    ...foundProducts(words.trim()),
    placeholderData: keepPreviousData,
  });
  const products = data?.data ?? [];
  return (
    <SearchList
      label={label}
      words={words}
      onClose={onClose}
      onWords={setWords}
      items={products.map((product) => {
        return { id: product.p1_id, name: readableOf(product.name, product.p1_id), facts: factsOf(product) };
      })}
      nothing={error ? sentenceOf(error, texts) : data ? edit.noProduct : edit.productsLoading}
      onPick={(id) => {
        const product = products.find(({ p1_id }) => p1_id === id);
        if (product) onPick(product);
      }}
    />
  );
}

function useFacts(): (product: ReviewProduct) => string[] {
  const { requests } = useTexts();
  const formats = useFormats();
  return ({ thc, cbd, available, price }) => [
    ...(thc === null ? [] : [`THC ${thc}`]),
    ...(cbd === null ? [] : [`CBD ${cbd}`]),
    requests.available(available ?? 0),
    formats.money(price),
  ];
}
