import type { Bench, Block } from '../bench';
import { UNIQUE } from '../load/job';
import type { Row } from '../row';
import { upsertRequests } from './order-bodies';

export interface CostBlocks {
  product: Block;
  raw: Block;
  /** Removes what the blocks left, where that would be gigabytes. */
  clean?: () => Promise<void>;
}

/** A row of what a call costs, held against what another one does. */
export function costRow(
  name: string,
  { against, atMost }: { against: string; atMost: number },
  blocks: (bench: Bench) => Promise<CostBlocks>,
): Row {
  return {
    name,
    unit: 'µs of a core',
    bar: { of: 'ratio', atMost },
    against,
    run: async (bench) => {
      const { product, raw, clean } = await blocks(bench);
      const measured = await bench.alternate('costUs', product, raw);
      await clean?.();
      return measured;
    },
  };
}

/** New orders by upsert: what the writes of the main job are held against. */
export async function upsertBlock(bench: Bench, callers: number): Promise<Block> {
  const tenant = await bench.tenants.get('writes');
  return bench.gateway(upsertRequests(bench, tenant, [`new-${UNIQUE}`]), callers);
}
