import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Input, Menu, MenuItem, SearchField } from 'react-aria-components';
import type { ReviewProduct } from '@offizin/contracts/review-products';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import css from './product-picker.module.css';
import { foundProducts } from './requests.calls';

interface Props {
  label: string;
  /** What the search begins with: the name that the partner sent. */
  words?: string;
  onPick: (product: ReviewProduct) => void;
  onClose: () => void;
}

/** Finds a product of the inventory by a part of its name. The server searches. */
export function ProductPicker({ label, words = '', onPick, onClose }: Props) {
  const texts = useTexts();
  const { deciding } = texts;
  const { org } = useSession();
  const [typed, setTyped] = useState(words);
  const { data, error } = useQuery({
    ...foundProducts(org.id, typed.trim()),
    placeholderData: keepPreviousData,
  });
  const products = data?.data ?? [];
  return (
    <div
      className={css.picker}
      // The key that closes the dialog closes only the search.
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField aria-label={label} autoFocus>
          <Input className={css.input ?? ''} placeholder={label} maxLength={200} />
        </SearchField>
        <Menu
          aria-label={label}
          className={css.list ?? ''}
          items={products.map((product) => ({ ...product, id: product.p1_id }))}
          onAction={(id) => {
            const product = products.find((each) => each.p1_id === id);
            if (product) onPick(product);
          }}
          renderEmptyState={() => (
            <p className={css.none}>
              {error ? sentenceOf(error, texts) : data ? deciding.noProduct : deciding.productsLoading}
            </p>
          )}
        >
          {(product) => (
            <MenuItem id={product.id} textValue={product.name} className={css.product ?? ''}>
              <Product product={product} />
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </div>
  );
}

function Product({ product: { name, thc, cbd, available, price } }: { product: ReviewProduct }) {
  const { requests } = useTexts();
  const formats = useFormats();
  const strength = [thc !== null && `THC ${thc}`, cbd !== null && `CBD ${cbd}`];
  const facts = [...strength, requests.available(available ?? 0), formats.money(price)];
  return (
    <>
      <strong>{name}</strong>
      <span className={css.quiet}>{facts.filter(Boolean).join(' · ')}</span>
    </>
  );
}
