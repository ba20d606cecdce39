import type {
  AdjustReason,
  InventoryAdjustRequest,
  InventoryLogEntry,
} from '@offizin/contracts/products/inventory';
import type { PackHint } from './pack-hints';

/** Pieces come in, pieces go out, or the stock was counted. */
export type AdjustKind = 'add' | 'remove' | 'count';

/** Each with its key. */
export const KINDS = [
  { kind: 'add', keys: '+' },
  { kind: 'remove', keys: '-' },
  { kind: 'count', keys: 'c' },
] as const;

/** The reasons that fit, the likeliest first. */
export const REASONS: Readonly<Record<AdjustKind, readonly [AdjustReason, ...AdjustReason[]]>> = {
  add: ['received', 'returned', 'correction'],
  remove: ['damaged', 'expired', 'sold', 'correction'],
  count: ['correction', 'damaged', 'expired', 'sold', 'received', 'returned'],
};

/** What a person has typed. */
export interface Typed {
  pieces: string;
  reason: AdjustReason;
  note: string;
  reference: string;
}

export interface Kept extends Typed {
  /** The same for each attempt to send the same text. */
  key: string;
  /** Of the packs that were scanned. */
  hints: readonly (PackHint & { packs: number })[];
}

export function emptyOf(kind: AdjustKind): Kept {
  const key = crypto.randomUUID();
  return { pieces: '', reason: REASONS[kind][0], note: '', reference: '', key, hints: [] };
}

/** With the piece that was scanned. */
export function withPiece(kind: AdjustKind, typed: Kept, hints: readonly PackHint[]): Kept {
  const pieces = piecesOf(kind, typed) ?? 0;
  const isFirst = pieces === 0;
  const isExpired = hints.some((hint) => hint.kind === 'expired');
  return {
    ...typed,
    pieces: String(pieces + 1),
    reason: isFirst && isExpired && kind === 'remove' ? 'expired' : typed.reason,
    key: crypto.randomUUID(),
    hints: hints.reduce(withHint, typed.hints),
  };
}

/** Each once, with the packs that it is about. */
function withHint(known: Kept['hints'], hint: PackHint): Kept['hints'] {
  const at = known.findIndex(({ packs: _, ...one }) => JSON.stringify(one) === JSON.stringify(hint));
  const same = known[at];
  return same ? known.with(at, { ...same, packs: same.packs + 1 }) : [...known, { ...hint, packs: 1 }];
}

/** A pack that must not be sold does not come in unnoticed. One that goes out, or is counted, has its hint alone. */
export function isAlarming(kind: AdjustKind, hints: readonly PackHint[]): boolean {
  return kind === 'add' && hints.some((hint) => hint.kind !== 'unknown');
}

/** As the server has them. */
const MAX_DELTA = 1_000_000;
const MAX_STOCK = 1_000_000_000;

/** Whole pieces; null for what is not a number, none or too many. A count may find nothing. */
export function piecesOf(kind: AdjustKind, { pieces }: Pick<Typed, 'pieces'>): number | null {
  const digits = pieces.replaceAll(/\s/g, '');
  if (!/^\d+$/.test(digits)) return null;
  const number = Number(digits);
  if (kind === 'count') return number <= MAX_STOCK ? number : null;
  return number > 0 && number <= MAX_DELTA ? number : null;
}

/** The stock afterwards, from the stock that is known now. */
export function stockAfter(kind: AdjustKind, pieces: number, present: number): number {
  if (kind === 'count') return pieces;
  return kind === 'add' ? present + pieces : present - pieces;
}

/** `expected` is the stock that the person saw: a count on another one is refused. */
export function bodyOf(
  p1Id: string,
  kind: AdjustKind,
  typed: Typed,
  expected: number,
): InventoryAdjustRequest | null {
  const pieces = piecesOf(kind, typed);
  if (pieces === null) return null;
  const [note, reference] = [typed.note.trim(), typed.reference.trim()];
  return {
    p1_id: p1Id,
    reason: typed.reason,
    ...(kind === 'count'
      ? { quantity: pieces, expected_quantity: expected }
      : { delta: stockAfter(kind, pieces, 0) }),
    ...(note === '' ? {} : { note }),
    ...(reference === '' ? {} : { reference }),
  };
}

/** The same for each attempt to send the same body, whatever the stock is now. A count on another stock is another body. */
export function sendKey(kind: AdjustKind, { key }: Pick<Kept, 'key'>, expected: number): string {
  return kind === 'count' ? `${key}-${expected}` : key;
}

const UNDO = 'undo:';

/**
 * The entry that takes another one back; null for one that cannot be taken back here: a sale belongs to its order, and
 * an undo is undone by adjusting again. Its reference lets the server apply it once, however often it is sent.
 */
export function oppositeOf(
  entry: Pick<InventoryLogEntry, 'id' | 'p1_id' | 'delta' | 'reason' | 'reference'>,
): InventoryAdjustRequest | null {
  const { id, p1_id, delta, reason, reference } = entry;
  if (delta === 0 || Math.abs(delta) > MAX_DELTA) return null;
  if (reason === 'sold' || isUndo({ reference })) return null;
  return { p1_id, delta: -delta, reason: 'correction', reference: UNDO + id };
}

export function isUndo({ reference }: Pick<InventoryLogEntry, 'reference'>): boolean {
  return reference?.startsWith(UNDO) ?? false;
}

/** Ids of the entries that others among them take back. */
export function undoneIds(entries: readonly Pick<InventoryLogEntry, 'reference'>[]): ReadonlySet<string> {
  return new Set(entries.filter(isUndo).map(({ reference }) => (reference ?? '').slice(UNDO.length)));
}
