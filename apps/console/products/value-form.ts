import { productCodeOf, pznOf } from '@offizin/codes/product-numbers';
import { readMoney } from '../text/typed-money';
import type { Values } from './layers';

/** The values of one layer as a person types them; an empty one is that of the layer before. */
export interface Draft {
  name: string;
  category: string;
  price: string;
  available: '' | 'true' | 'false';
  description: string;
  pzn: string;
  codes: string;
}

/** As the server has it. */
const MAX_CODES = 5;
const TEXTS = ['name', 'category', 'description'] as const;

export function draftOf(layer: Values, money: (euros: number) => string): Draft {
  return {
    name: layer.name ?? '',
    category: layer.category ?? '',
    price: layer.price === null ? '' : money(layer.price),
    available: layer.available === null ? '' : layer.available ? 'true' : 'false',
    description: layer.description ?? '',
    pzn: layer.pzn ?? '',
    codes: layer.codes?.join(' ') ?? '',
  };
}

type ReadField = 'price' | 'pzn' | 'codes';

/** Fields that are read, and that cannot be read as they are typed. */
export function wrongFields(draft: Draft): ReadField[] {
  const fields: readonly ReadField[] = ['price', 'pzn', 'codes'];
  return fields.filter((field) => draft[field].trim() !== '' && read(field, draft[field]) === null);
}

function read(field: ReadField, typed: string): unknown {
  if (field === 'price') return readMoney(typed);
  return field === 'pzn' ? pznOf(typed.trim()) : readCodes(typed);
}

/** GTINs with blanks, commas or line breaks between them; null if one is not a GTIN, or if there are too many. */
function readCodes(typed: string): string[] | null {
  const codes = typed
    .trim()
    .split(/[\s,;]+/)
    .map(productCodeOf);
  const known = [...new Set(codes)].filter((code) => code !== null);
  return codes.includes(null) || known.length > MAX_CODES ? null : known;
}

/** Only what differs from the layer as it was; null while a field cannot be read. */
export function changesOf(layer: Values, draft: Draft): Partial<Values> | null {
  if (wrongFields(draft).length > 0) return null;
  const changes: Partial<Values> = {};
  for (const field of TEXTS) {
    const typed = draft[field].trim();
    if (typed !== (layer[field] ?? '').trim()) changes[field] = typed === '' ? null : typed;
  }
  const available = draft.available === '' ? null : draft.available === 'true';
  if (available !== layer.available) changes.available = available;
  const price = draft.price.trim() === '' ? null : readMoney(draft.price);
  if (price !== layer.price) changes.price = price;
  const pzn = draft.pzn.trim() === '' ? null : pznOf(draft.pzn.trim());
  if (pzn !== (layer.pzn ?? null)) changes.pzn = pzn;
  const codes = draft.codes.trim() === '' ? null : readCodes(draft.codes);
  if ((codes ?? []).join(' ') !== (layer.codes ?? []).join(' ')) changes.codes = codes;
  return changes;
}
