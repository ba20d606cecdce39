import type { CatalogLine } from '@offizin/contracts/products/catalog-import';
import { fromCents, toCents } from '@offizin/contracts/calls/money';

export const OPTIONAL_FIELDS = [
  'slug',
  'description',
  'category',
  'thc',
  'cbd',
  'available',
  'pzn',
  'codes',
] as const;

/** A line to store: every field has a value or null. */
export type StoredLine = Required<Omit<CatalogLine, 'slug' | 'available' | 'codes'>> & {
  slug: string;
  available: boolean;
  codes: string[];
  /** Fields that the line leaves out: a known product keeps its values. */
  kept: (typeof OPTIONAL_FIELDS)[number][];
};

/** Completes a line with the values of a new product. Deterministic. */
export function completeLine(line: CatalogLine): StoredLine {
  return {
    p1_id: line.p1_id,
    name: line.name,
    slug: line.slug ?? slugOf(line.name, line.p1_id),
    description: line.description ?? null,
    category: line.category ?? null,
    price: fromCents(toCents(line.price)),
    thc: line.thc ?? null,
    cbd: line.cbd ?? null,
    available: line.available ?? true,
    pzn: line.pzn ?? null,
    codes: line.codes ?? [],
    kept: OPTIONAL_FIELDS.filter((name) => line[name] === undefined),
  };
}

const LETTERS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };
const MAX_SLUG_NAME_LENGTH = 120;

/** URL slug of name and id: lower-case ASCII with hyphens; the id separates products of one name. */
export function slugOf(name: string, p1Id: string): string {
  const readable = plain(name).slice(0, MAX_SLUG_NAME_LENGTH);
  return [readable, plain(p1Id).slice(0, MAX_SLUG_NAME_LENGTH)]
    .map((part) => part.replace(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/[^a-z0-9]+/g, (gap) => (/^\p{M}+$/u.test(gap) ? '' : '-'));
}
