import { lookedUpAs } from './product-numbers';
import type { Scan } from './scan';

/** The codes to look up: the first that a product has decides. */
export function codesIn(scan: Scan): string[] {
  if (scan.kind === 'p1_id' || scan.kind === 'unreadable') return [];
  // Eight digits that are both are one question.
  if (scan.kind === 'pzn_or_gtin') return [scan.pzn];
  return [scan.pzn, scan.gtin].filter((code) => code !== undefined);
}

interface ProductCodes {
  pzn: string | null;
  codes: readonly string[];
}

/** Whether the product has the code. A PZN is not a GTIN of the same eight digits. */
export function isOf({ pzn, codes }: ProductCodes, scan: Scan): boolean {
  if (scan.kind === 'p1_id' || scan.kind === 'unreadable') return false;
  const named = [scan.pzn, ...(scan.gtin === undefined ? [] : lookedUpAs(scan.gtin))];
  const own = [pzn, ...codes.flatMap(lookedUpAs)];
  return own.some((code) => code !== null && named.includes(code));
}
