import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { sentenceOf } from '../../messages/fault';
import { useTexts } from '../../text/texts';
import { isSameLots } from '../orders/order-lots';
import { isRefusedLot, lotHolds, orderDetail, writeLots } from '../orders/orders.calls';
import { lotsToWrite, type Packing } from './packing';
import { firstProblem } from './packing-scan';
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
  const { seen } = packing;
  const lots = lotsToWrite(packing);
  const isSame = isSameLots(lots, seen.lots);
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // The server judges only lots that come in: one that the order has already may be on hold or expired since.
      const problem = seen.lots.length === 0 ? null : await problemNow(client, packing);
      return problem ?? (isSame ? seen : writeLots(seen, lots));
    },
    onSuccess: (result) => {
      if ('kind' in result) return say(result);
      const { queryKey } = orderDetail(result.id);
      client.setQueryData(queryKey, (shown) => (shown && shown.version >= result.version ? shown : result));
      onPacked(result, isSame ? undefined : seen.lots);
    },
    onError: refused,
  });
  const write = () => {
    if (lots.length + seen.lots.length === 0) onPacked(seen);
    else mutate();
  };
  return { write, isWriting: isPending };
}

/** By the holds of this moment. */
async function problemNow(client: QueryClient, packing: Packing): Promise<ReturnType<typeof firstProblem>> {
  const { data: holds } = await client.query({ ...lotHolds, staleTime: 0 });
  return firstProblem(packing, { holds, nowMs: Date.now() });
}

/** Says which lot it was, and why. */
function useRefused({ packing, say }: Pick<Writing, 'packing' | 'say'>): (error: Error) => Promise<void> {
  const client = useQueryClient();
  const shared = useTexts();
  return async (error) => {
    void client.invalidateQueries({ queryKey: orderDetail(packing.seen.id).queryKey });
    if (isRefusedLot(error)) {
      const problem = await problemNow(client, packing).catch(() => null);
      if (problem) return say(problem);
    }
    say({ kind: 'notWritten', why: sentenceOf(error, shared) });
  };
}
