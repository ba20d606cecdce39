import { createHash } from 'node:crypto';
import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { foldedText, isControlled, type ReviewProduct } from '@offizin/contracts/requests/review-products';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import type { ReviewSettingsEntity } from '../../db/request-entities';

/** Which requests two people approve, and whose approval is which of the two (decision 0047). */

export type FourEyesRule = Pick<ReviewSettingsEntity, 'four_eyes' | 'four_eyes_categories'>;

type Facts = Pick<ReviewProduct, 'p1_id' | 'name' | 'category' | 'thc' | 'names' | 'categories' | 'thcs'>;

export interface JudgedLine {
  p1_id: string | null;
  name: string | null;
}

/**
 * `lists` are the lines that were sent, and those to be approved. A prescription without lines may hold anything, and
 * so may a product that the catalog does not know, or a line that has another name than its product: all count. Of the
 * values of catalog, organization and shop, the strictest counts.
 */
export function needsTwoPeople(
  { four_eyes: rule, four_eyes_categories: categories }: FourEyesRule,
  lists: readonly (readonly JudgedLine[])[],
  products: readonly Facts[],
): boolean {
  if (rule !== 'controlled') return rule === 'all';
  if (lists.some((lines) => lines.length === 0)) return true;
  const byId = new Map(products.map((product) => [product.p1_id, product]));
  return lists.flat().some(({ p1_id: id, name }) => {
    const product = id === null ? undefined : byId.get(id);
    if (!product) return true;
    const { names = [product.name] } = product;
    if (name !== null && !names.some((known) => foldedText(known) === foldedText(name))) return true;
    return isControlled(product, categories);
  });
}

/** Of the approved content, field by field; the partner's version is compared apart. */
export function digestOf(content: object): Buffer {
  return createHash('sha256').update(canonicalJson(content)).digest();
}

export interface GivenFirst {
  staffId: string;
  name: string;
  /** ISO 8601. */
  at: string;
  digest: Buffer;
}

/**
 * What an approval is where two people approve. `seen` is the time of the first approval on the caller's screen;
 * undefined when the caller does not say. Throws `Refused` (conflict).
 */
export function stepOf(
  { kind, actorId }: Pick<Caller, 'kind' | 'actorId'>,
  first: GivenFirst | null,
  { digest, seen }: { digest: Buffer; seen: string | null | undefined },
): 'first' | 'second' {
  if (kind !== 'staff') throw conflict('key', 'Two people must approve this request in the console.');
  if (first?.staffId === actorId) throw ownFirst();
  // Equal content is not enough: the caller has not seen the first approval.
  if (seen !== undefined && !isSameTime(seen, first?.at ?? null)) throw changedFirst(first);
  return first?.digest.equals(digest) ? 'second' : 'first';
}

function isSameTime(some: string | null, other: string | null): boolean {
  return some === null || other === null ? some === other : Date.parse(some) === Date.parse(other);
}

export function ownFirst(): Refused {
  const message =
    'You have approved this request already: another person must approve it, too. Take your approval back to change it.';
  return conflict('own', message);
}

export function changedFirst(first: GivenFirst | null): Refused {
  return first
    ? conflict('changed', `${first.name} has approved the request meanwhile. Read it again.`)
    : conflict('gone', 'The first approval was taken back meanwhile. Read the request again.');
}

export function foreignFirst(name: string): Refused {
  return conflict('other', `Only ${name} can take this approval back.`);
}

/** The details tell a program which of the reasons it is. */
function conflict(reason: 'key' | 'own' | 'changed' | 'gone' | 'other', message: string): Refused {
  return new Refused('conflict', message, [{ field: 'first_approval', message: reason }]);
}
