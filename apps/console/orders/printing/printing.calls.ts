import { queryOptions } from '@tanstack/react-query';
import type { OrderMark } from '@offizin/contracts/orders/order-notes';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { addMark, readOrder } from '../orders/orders.calls';
import { ApiError } from '../../calls/api';
import { idsOf, type PaperKind, type PrintSearch } from './print-search';

/** The calls of the print page. Nothing else in this folder speaks HTTP. */

/** Below the rate of a session, so that the other tabs of the person still get answers. */
const PAUSE_MS = 25;

/** The orders of one job, read once: printed paper does not change. */
export function ordersToPrint(search: PrintSearch) {
  const ids = idsOf(search);
  return queryOptions({
    queryKey: ['print', search],
    queryFn: async ({ signal }) => {
      const orders = await oneByOne(ids, (id) => knownOrder(id, signal));
      return { orders: orders.filter((order) => order !== null), missing: orders.filter(isMissing).length };
    },
    staleTime: 'static',
    gcTime: 0,
  });
}

async function knownOrder(id: string, signal: AbortSignal): Promise<PipelineOrder | null> {
  try {
    return await readOrder(id, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function isMissing(order: PipelineOrder | null): boolean {
  return order === null;
}

const MARKS: Readonly<Record<PaperKind, OrderMark>> = { slip: 'slip_printed', label: 'label_printed' };

/** The history of each order states who printed, and when. A repeat of the job marks none twice. */
export async function markPrinted(
  orders: readonly PipelineOrder[],
  { kind, job }: { kind: PaperKind; job: string },
): Promise<void> {
  await oneByOne(orders, ({ id }) => addMark(id, MARKS[kind], { key: `${job}:${id}` }));
}

async function oneByOne<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(await work(item));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return results;
}
