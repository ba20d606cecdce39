import type { ProductLayer } from '@offizin/contracts/products/assortment';
import { readMoney } from '../text/typed-money';

/** The values of one layer as a person types them; an empty one is that of the layer before. */
export interface Draft {
  name: string;
  category: string;
  price: string;
  available: '' | 'true' | 'false';
  description: string;
}

const TEXTS = ['name', 'category', 'description'] as const;

export function draftOf(layer: ProductLayer, money: (euros: number) => string): Draft {
  return {
    name: layer.name ?? '',
    category: layer.category ?? '',
    price: layer.price === null ? '' : money(layer.price),
    available: layer.available === null ? '' : layer.available ? 'true' : 'false',
    description: layer.description ?? '',
  };
}

/** Only what differs from the layer as it was; null for what is not an amount of money. */
export function changesOf(layer: ProductLayer, draft: Draft): Partial<ProductLayer> | null {
  const changes: Partial<ProductLayer> = {};
  for (const field of TEXTS) {
    const typed = draft[field].trim();
    if (typed !== (layer[field] ?? '').trim()) changes[field] = typed === '' ? null : typed;
  }
  const available = draft.available === '' ? null : draft.available === 'true';
  if (available !== layer.available) changes.available = available;
  const price = draft.price.trim() === '' ? null : readMoney(draft.price);
  if (price === null && draft.price.trim() !== '') return null;
  if (price !== layer.price) changes.price = price;
  return changes;
}
