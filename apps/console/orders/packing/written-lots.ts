import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { sentenceOf } from '../../messages/fault';
import { useTexts } from '../../text/texts';
import { isSameLots } from '../orders/order-lots';
import { isRefusedLot, lotHolds, orderDetail, writeLots } from '../orders/orders.calls';
import { lotsToWrite, type Packing } from './packing';
import { firstProblem, problemOf } from './packing-scan';
import type { Said } from './packing-warnings';

interface Writing {
  packing: Packing;
  onPacked: (seen: PipelineOrder, lotsBefore?: PipelineOrder['lots']) => void;
  say: (said: Said) => void;
}

/**
 * Writes the lots of the order, in one call, and then calls it packed. So a refusal is shown while the order is still on the
 * table, nothing of it is written then, and a tab that closes in the undo time has the lots behind it.
 */
export function useWrittenLots({ packing, onPacked, say }: Writing): {
  write: () => void;
  isWriting: boolean;
} {
  const client = useQueryClient();
  const refused = useRefused({ packing, say });
  const { mutate, isPending } = useMutation({
    mutationFn: () => writeLots(packing.seen, lotsToWrite(packing)),
    onSuccess: (written) => {
      const { queryKey } = orderDetail(written.id);
      client.setQueryData(queryKey, (shown) => (shown && shown.version >= written.version ? shown : written));
      onPacked(written, packing.seen.lots);
    },
    onError: refused,
  });
  const write = () => {
    if (isSameLots(lotsToWrite(packing), packing.seen.lots)) onPacked(packing.seen);
    else mutate();
  };
  return { write, isWriting: isPending };
}

/** Says which lot it was, and why. */
function useRefused({ packing, say }: Pick<Writing, 'packing' | 'say'>): (error: Error) => Promise<void> {
  const client = useQueryClient();
  const shared = useTexts();
  return async (error) => {
    void client.invalidateQueries({ queryKey: orderDetail(packing.seen.id).queryKey });
    if (isRefusedLot(error)) {
      const holds = await client.query({ ...lotHolds, staleTime: 0 }).catch(() => null);
      const judged = { holds: holds?.data ?? [], nowMs: Date.now() };
      const problem = firstProblem(packing, (lot, p1Id) => problemOf(lot, { ...judged, p1Id }));
      if (problem) return say(problem);
    }
    say({ kind: 'notWritten', why: sentenceOf(error, shared) });
  };
}
