import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import type { PaperKind } from './print-search';
import { markPrinted } from './printing.calls';

/**
 * Prints the papers that are in the page, once by itself. The browser does not say whether paper came out: the person
 * says so, and only that answer marks the orders.
 */
export function usePrinting(kind: PaperKind, orders: readonly PipelineOrder[]) {
  const client = useQueryClient();
  const [job, setJob] = useState(() => crypto.randomUUID());
  const [isAsked, setAsked] = useState(false);
  const mark = useMutation({
    mutationFn: () => markPrinted(orders, { kind, job }),
    onSuccess: () => {
      setAsked(false);
      setJob(crypto.randomUUID());
      return client.invalidateQueries({ queryKey: ['orders', 'detail'] });
    },
  });
  const print = useCallback(() => {
    if (orders.length === 0) return;
    // Returns when the person has closed the dialog of the browser.
    window.print();
    setAsked(true);
  }, [orders.length]);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    // A paper without its font would break its lines elsewhere.
    void document.fonts.ready.then(print);
  }, [print]);
  const deny = useCallback(() => {
    setAsked(false);
  }, []);
  return { print, mark, isAsked, deny };
}
