import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { LotHold } from '@offizin/contracts/orders/lot-holds';
import type { ScanResult } from '../keyboard/page-scanner';
import { usePageScans } from '../keyboard/page-scans';
import type { WrongScan } from '../keyboard/scan-alarm';
import type { ScannedProduct } from '../keyboard/scanned-product';
import type { ListAddress } from '../lists/list-address';
import { useSession } from '../session/session.calls';
import { keepDraft } from '../session/use-draft';
import { readableOf } from '../text/customer-name';
import { type AdjustKind, emptyOf, isAlarming, type Kept, withPiece } from './adjustment';
import { hintsOf, type PackHint } from './pack-hints';
import type { StockSearch } from './stock-search';
import { lotHolds, stockItem } from './stock.calls';

/** A booking that is open. */
export interface Booking {
  id: string;
  kind: AdjustKind;
}

/** False: the booking is under way, and the piece is not part of it. */
export type PieceCounter = (hints: readonly PackHint[]) => boolean;

interface Counting {
  booking: Booking | null;
  /** Of a booking that a scan opens. */
  kind: AdjustKind;
  canBook: boolean;
  open: (id: string) => void;
  ask: (booking: Booking) => void;
}

/** The booking of the open product, of the kind that was booked last, by a key or by a scan. */
export function useBookings(openId: string | undefined, open: ListAddress<StockSearch>['open']) {
  const canBook = useSession().scopes.includes('inventory.write');
  const [kind, setKind] = useState<AdjustKind>('add');
  const [booking, setBooking] = useState<Booking | null>(null);
  const [seenId, setSeenId] = useState(openId);
  if (seenId !== openId) {
    setSeenId(openId);
    // Another product was opened by the address.
    if (booking !== null && booking.id !== openId) setBooking(null);
  }
  const openOne = (id: string) => {
    if (id !== openId) open(id, openId !== undefined);
  };
  const ask = (asked: Booking) => {
    openOne(asked.id);
    setBooking(asked);
    setKind(asked.kind);
  };
  const { counted, forget, ...scans } = useStockScans({ booking, kind, canBook, open: openOne, ask });
  return {
    ...scans,
    counted,
    asked: booking !== null && booking.id === openId ? booking.kind : null,
    onAsk: (next: AdjustKind | null) => {
      if (next !== null && openId !== undefined) return ask({ id: openId, kind: next });
      forget();
      setBooking(null);
    },
  };
}

/**
 * Scans on the page of the stock, one after the other. The first one of a product opens its booking, each further one adds
 * a piece; a person books them, never a scan.
 */
function useStockScans(counting: Counting) {
  const client = useQueryClient();
  const [wrong, setWrong] = useState<WrongScan | null>(null);
  const [counted, setCounted] = useState<string | null>(null);
  const latest = useRef(counting);
  useLayoutEffect(() => {
    latest.current = counting;
  });
  const counter = useRef<PieceCounter | null>(null);
  const takePieces = useCallback((next: PieceCounter | null) => {
    counter.current = next;
  }, []);
  const refuse = (why: WrongScan): false => {
    setWrong(why);
    return false;
  };
  const take = (scanned: ScannedProduct, holds: readonly LotHold[] | null): ScanResult => {
    const { booking, kind, canBook, ask, open } = latest.current;
    if (scanned.kind !== 'product') return refuse(scanned);
    const { code, product } = scanned;
    const id = product.p1_id;
    if (booking !== null && booking.id !== id) {
      const wanted = client.getQueryData(stockItem(booking.id).queryKey)?.name;
      const names = { name: readableOf(product.name, id), wanted: readableOf(wanted, booking.id) };
      return refuse({ kind: 'other', code, ...names });
    }
    setWrong(null);
    if (!canBook) {
      open(id);
      return true;
    }
    const wanted = booking ?? { id, kind };
    const hints = hintsOf(scanned, holds);
    const piece = (now: Kept = emptyOf(wanted.kind)) => withPiece(wanted.kind, now, hints);
    if (counter.current === null) keepDraft<Kept>(client, id, wanted.kind, piece);
    else if (!counter.current(hints)) return refuse({ kind: 'busy', code });
    latest.current = { ...latest.current, booking: wanted };
    setCounted(code);
    ask(wanted);
    return isAlarming(wanted.kind, hints) ? 'alarm' : true;
  };
  usePageScans(async (scanned) => {
    // Only a hint depends on the holds.
    const holds = await client.query(lotHolds()).catch(() => null);
    return take(scanned, holds?.data ?? null);
  });
  return {
    wrong,
    counted,
    takePieces,
    understood: () => setWrong(null),
    forget: () => setCounted(null),
  };
}
