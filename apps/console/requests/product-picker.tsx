import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReviewProduct } from '@offizin/contracts/review-products';
import { SearchList } from '../controls/search-list';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import { foundProducts } from './requests.calls';

interface Props {
  label: string;
  /** What the search begins with: the name that the partner sent. */
  words?: string;
  onPick: (product: ReviewProduct) => void;
  onClose: () => void;
}

/** Finds a product of the inventory by a part of its name. */
export function ProductPicker({ label, words: first = '', onPick, onClose }: Props) {
  const texts = useTexts();
  const { deciding } = texts;
  const { org } = useSession();
  const factsOf = useFacts();
  const [words, setWords] = useState(first);
  const { data, error } = useQuery({
    ...foundProducts(org.id, words.trim()),
    placeholderData: keepPreviousData,
  });
  const products = data?.data ?? [];
  return (
    <SearchList
      label={label}
      words={words}
      onClose={onClose}
      onWords={setWords}
      items={products.map((product) => ({ id: product.p1_id, name: product.name, facts: factsOf(product) }))}
      nothing={error ? sentenceOf(error, texts) : data ? deciding.noProduct : deciding.productsLoading}
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
    ...[requests.available(available ?? 0), formats.money(price)],
  ];
}
