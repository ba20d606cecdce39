import { Command } from 'commander';
import { note, say } from '../offizin/output';
import { dataFolder, operatorAccess, readRunningStack } from '../offizin/running-stack';
import {
  coreOutage,
  exchangeAndApprove,
  handIn,
  moveOrder,
  receiveEvents,
  stockOwnProducts,
  subscribe,
  Walk,
} from './steps';

/**
 * `npm run smoke`: walks the main job over HTTP against the running stack, from a prescription at a shop's domain to
 * signed webhooks, prints each step with its time, and ends with exit code 1 at the first thing that is wrong.
 */
const program = new Command('smoke')
  .description('Walks the main job against a running stack.')
  .option('--data-dir <folder>', 'data folder of the stack (OFFIZIN_DATA_DIR, else .data in the checkout)');

async function main(): Promise<void> {
  const { dataDir } = program.parse().opts<{ dataDir?: string }>();
  const folder = dataFolder(dataDir ?? process.env['OFFIZIN_DATA_DIR']);
  const walk = await Walk.begin(() => readRunningStack(folder).demo);
  try {
    await subscribe(walk);
    await stockOwnProducts(walk, operatorAccess(readRunningStack(folder)));
    await handIn(walk);
    await exchangeAndApprove(walk);
    await moveOrder(walk);
    await receiveEvents(walk);
    await coreOutage(walk);
    say(`\nsmoke: ${walk.steps} steps, all right, ${Math.round(walk.elapsedMs())} ms`);
  } finally {
    await walk.end();
  }
}

main().catch((error: unknown) => {
  note(`\nsmoke: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
