import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { OnScanned } from './page-scanner';

/** Scans on a page of commands: page-scanner.ts, which is loaded after the page. */
export function usePageScans(onScanned: OnScanned): void {
  const client = useQueryClient();
  const latest = useRef(onScanned);
  useLayoutEffect(() => {
    latest.current = onScanned;
  });
  useEffect(() => {
    let isLeft = false;
    let stop = (): void => undefined;
    const begin = async () => {
      const { listen } = await import('./page-scanner');
      if (!isLeft) stop = listen(client, (scanned) => latest.current(scanned));
    };
    // Without the part of the page, the guard keeps scans away, as on all other pages.
    begin().catch(() => undefined);
    return () => {
      isLeft = true;
      stop();
    };
  }, [client]);
}
