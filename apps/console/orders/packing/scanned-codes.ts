import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { readScan, type Scan } from '@offizin/codes/scan';
import type { OnCode } from '../../keyboard/scanner';
import { productsByCode } from '../orders/orders.calls';
import { codesIn, countScan, isOf, type Packing, type ScannedCode } from './packing';
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
 * a code are the server's, because the order has product ids alone.
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
      const found = await productsWith(client, scan).catch(() => null);
      if (found === null) latest.current.say({ kind: 'unanswered', code });
      else take({ code, scan, found, nowMs });
    });
  };
}

async function productsWith(client: QueryClient, scan: Scan): Promise<ScannedCode['found']> {
  for (const code of codesIn(scan)) {
    const { data } = await client.query(productsByCode(code));
    const found = data.filter((product) => isOf(product, scan));
    if (found.length > 0) return found;
  }
  return [];
}
