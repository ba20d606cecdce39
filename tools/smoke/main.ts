import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { DemoFile } from '../up/demo-file';
import { coreOutage, exchangeAndApprove, handIn, moveOrder, receiveEvents, subscribe, Walk } from './steps';

/**
 * `npm run smoke`: walks the main job over HTTP against the running stack, from a prescription at a shop's domain to
 * signed webhooks, prints each step with its time, and ends with exit code 1 at the first thing that is wrong.
 */
const program = new Command('smoke')
  .description('Walks the main job against a running stack.')
  .option('--data-dir <folder>', 'data folder of the stack (OFFIZIN_DATA_DIR, else .data in the checkout)');

async function main(): Promise<void> {
  const { dataDir } = program.parse().opts<{ dataDir?: string }>();
  const folder = resolve(dataDir ?? process.env['OFFIZIN_DATA_DIR'] ?? join(checkoutRoot, '.data'));
  const walk = await Walk.begin(() => readDemo(folder));
  try {
    await subscribe(walk);
    await handIn(walk);
    await exchangeAndApprove(walk);
    await moveOrder(walk);
    await receiveEvents(walk);
    await coreOutage(walk);
    console.log(`\nsmoke: ${walk.steps} steps, all right, ${Math.round(walk.elapsedMs())} ms`);
  } finally {
    await walk.end();
  }
}

function readDemo(folder: string): DemoFile {
  try {
    return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as DemoFile;
  } catch {
    throw new Error(`No stack runs on the data folder ${folder}. Start one with npm start.`);
  }
}

main().catch((error: unknown) => {
  console.error(`\nsmoke: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
