import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { readScan } from '@offizin/codes/scan';
import { productsWithCode } from '../../keyboard/scanned-product';
import type { OnCode } from '../../keyboard/scanner';
import { lotHolds } from '../orders/orders.calls';
import type { Packing } from './packing';
import { countScan, type ScannedCode } from './packing-scan';
import type { Said } from './packing-warnings';

interface Counting {
  packing: Packing;
  /** The order has a newer version. */
  isChanged: boolean;
  count: (packing: Packing) => void;
  /** The code is of this line. */
  onLine: (line: number) => void;
  /** Whether the code is the label of a parcel. */
  takeLabel: (code: string) => boolean;
  say: (said: Said) => void;
}

/**
 * Counts by codes, one after the other: each is looked up, and counts on what the one before has counted. The products of
 * a code are the server's, because the order has product ids alone. Lots on hold are read ahead, and never for a code.
 */
export function useScannedCodes(counting: Counting): OnCode {
  const client = useQueryClient();
  const latest = useRef(counting);
  useLayoutEffect(() => {
    latest.current = counting;
  });
  const queue = useRef(Promise.resolve());
  const take = (scanned: ScannedCode) => {
    const { packing, isChanged, count, onLine, takeLabel, say } = latest.current;
    if (isChanged) return say({ kind: 'stopped' });
    const { code } = scanned;
    const result = countScan(packing, scanned);
    if ('line' in result) onLine(result.line);
    if (result.kind === 'counted') {
      latest.current = { ...latest.current, packing: result.packing };
      count(result.packing);
      return say({ kind: 'counted', line: result.line, code });
    }
    // It may have been lifted since.
    if (result.kind === 'held') void client.invalidateQueries({ queryKey: lotHolds.queryKey });
    const mayBeLabel = result.kind === 'unreadable' || (result.kind === 'wrong' && result.product === null);
    return mayBeLabel && takeLabel(code) ? undefined : say({ ...result, code });
  };
  return (code) => {
    const { isChanged, say } = latest.current;
    if (isChanged) return say({ kind: 'stopped' });
    if (code === null) return say({ kind: 'garbage' });
    const nowMs = Date.now();
    const scan = readScan(code, { year: new Date(nowMs).getFullYear() });
    queue.current = queue.current.then(async () => {
      const answers = Promise.all([productsWithCode(client, scan), holdsKnown(client)]);
      const known = await answers.catch(() => null);
      if (known === null) latest.current.say({ kind: 'unanswered', code });
      else take({ code, scan, found: known[0], holds: known[1], nowMs });
    });
  };
}

async function holdsKnown(client: QueryClient): Promise<ScannedCode['holds']> {
  return (await client.query({ ...lotHolds, staleTime: 'static' })).data;
}
