/** What the address of the print page holds: which paper, and of which orders. */
export interface PrintSearch {
  kind: PaperKind;
  /** Ids of orders with commas between. */
  ids: string;
}

export const PAPER_KINDS = ['slip', 'label'] as const;
export type PaperKind = (typeof PAPER_KINDS)[number];

/** One job of a printer, and one call per order. */
export const MAX_PRINTED = 50;

/** Reads an address that a person may have typed; an unknown kind is a slip. */
export function readPrintSearch(search: Record<string, unknown>): PrintSearch {
  const kind = PAPER_KINDS.find((known) => known === search['kind']) ?? 'slip';
  return { kind, ids: typeof search['ids'] === 'string' ? search['ids'] : '' };
}

/** Each id once, in their order. */
export function idsOf({ ids }: PrintSearch): string[] {
  return [...new Set(ids.split(',').filter((id) => /^[0-9a-f-]{36}$/i.test(id)))].slice(0, MAX_PRINTED);
}
