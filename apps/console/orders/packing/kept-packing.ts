import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { continued, hasBegun, type LotOfLine, type Pack, type Packing, placesOf } from './packing';

/**
 * Packings that are not finished, kept on the device: a tab that is closed, or a browser that dies, loses no piece and no
 * lot. Ids, pieces and lots only, no names. Another person on the device does not get them.
 */

const KEY = 'offizin.packing';
const MAX_KEPT = 20;
/** Parcels do not stand open for longer. */
const KEPT_MS = 24 * 60 * 60_000;

export interface Keeping {
  /** A spec gives its own. Throws where the browser's settings refuse storage; then the packing is in memory alone. */
  storage: () => Pick<Storage, 'getItem' | 'setItem'>;
  staffId: string;
  nowMs: number;
}

export const device = (): Storage => window.localStorage;

interface Kept {
  staffId: string;
  orderId: string;
  atMs: number;
  version: number;
  /** An order that comes back to packing is packed from the beginning. */
  statusSince: string;
  /** Of the lines. */
  p1Ids: readonly (string | null)[];
  packs: readonly Pack[];
  removed: readonly LotOfLine[];
}

export function keepPacking({ seen, packs, removed }: Packing, keeping: Keeping): void {
  const { id: orderId, version, status_since: statusSince, items } = seen;
  const p1Ids = items.map(({ p1_id: id }) => id);
  const { staffId, nowMs: atMs } = keeping;
  const others = keptBy(keeping).filter((kept) => kept.orderId !== orderId);
  write([{ staffId, orderId, atMs, version, statusSince, p1Ids, packs, removed }, ...others], keeping);
}

/** Null for none. Lines without a product id count again only in the version that was kept. */
export function keptPacking(order: PipelineOrder, keeping: Keeping): Packing | null {
  const kept = keptBy(keeping).find((one) => one.orderId === order.id && one.staffId === keeping.staffId);
  if (!kept || !hasBegun(kept) || kept.statusSince !== order.status_since) return null;
  const isSame = kept.version === order.version;
  const keys = (ids: readonly (string | null)[], nameless: string) =>
    ids.map((id, place) => (isSame ? String(place) : (id ?? `${nameless} ${place}`)));
  const now = order.items.map(({ p1_id: id }) => id);
  return continued(kept, order, placesOf(keys(kept.p1Ids, 'before'), keys(now, 'now')));
}

export function forgetPacking(orderId: string, keeping: Omit<Keeping, 'staffId'>): void {
  write(
    keptBy(keeping).filter((kept) => kept.orderId !== orderId),
    keeping,
  );
}

/** The newest first. */
function keptBy({ storage, nowMs }: Omit<Keeping, 'staffId'>): Kept[] {
  try {
    const kept: unknown = JSON.parse(storage().getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKept).filter(({ atMs }) => nowMs - atMs < KEPT_MS) : [];
  } catch {
    return [];
  }
}

function write(kept: readonly Kept[], { storage }: Pick<Keeping, 'storage'>): void {
  try {
    storage().setItem(KEY, JSON.stringify(kept.slice(0, MAX_KEPT)));
  } catch {
    // Not kept, then.
  }
}

/** Another build of the console, or a person, may have written it. */
function isKept(value: unknown): value is Kept {
  if (!isObject<Kept>(value)) return false;
  const { staffId, orderId, atMs, version, statusSince, p1Ids, packs, removed } = value;
  const hasLists = isListOf(p1Ids, isTextOrNull) && isListOf(packs, isPack) && isListOf(removed, isLotOfLine);
  const hasTexts = [staffId, orderId, statusSince].every((text) => typeof text === 'string');
  return hasLists && hasTexts && isCount(atMs) && isCount(version);
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isPack(value: unknown): boolean {
  if (!isObject<Pack>(value) || !isCount(value.line) || !isCount(value.quantity)) return false;
  return value.lot === null || isLot(value.lot);
}

function isLotOfLine(value: unknown): boolean {
  return isObject<LotOfLine>(value) && isCount(value.line) && isLot(value.lot);
}

function isLot(value: unknown): boolean {
  if (!isObject<LotOfLine['lot']>(value) || typeof value.lot !== 'string') return false;
  return isTextOrNull(value.expires_on) && isTextOrNull(value.test_number);
}

function isObject<Value>(value: unknown): value is Partial<Record<keyof Value, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
