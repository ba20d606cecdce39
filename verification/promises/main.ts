import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Guarantee } from './guarantee';
import { guarantees } from './guarantees';
import { writePage } from './page';
import { type Judged, tryGuarantee } from './runner';

/**
 * `npm run chaos`: tests the guarantees with faults, one by one, on stacks of real processes on free ports. A full run
 * writes docs/guarantees.md. Only loopback is used.
 *
 * Parts: guarantees (the list), g01 to g30 (load, fault and verdict of each, and the specs that are its small run),
 * faults/*, recording-receiver (a subscriber), checkers/* (verdicts at the end, from the history of the kit's load, which
 * has the outcomes that the callers saw), runner, page. fault-stack/* is one stack for the small runs that kill and pause
 * processes.
 */
interface ChaosOptions {
  short: boolean;
  only?: string;
  seed?: string;
  page: boolean;
}

const program = new Command('chaos')
  .description('Tests the guarantees with faults, on stacks of real processes.')
  .option('--short', 'the short selection, with small numbers', false)
  .option('--only <ids>', 'only these, such as G3,G7')
  .option('--seed <text>', 'repeats the moments of an earlier run')
  .option('--no-page', 'leave docs/guarantees.md as it is');

async function main(): Promise<void> {
  const options = program.parse().opts<ChaosOptions>();
  const seed = options.seed ?? randomBytes(4).toString('hex');
  const historyFolder = join(tmpdir(), `offizin-chaos-history-${seed}`);
  const startedAt = performance.now();
  console.log(`chaos: seed ${seed}`);
  const judged: Judged[] = [];
  for (const guarantee of chosen(options)) {
    console.log(`\n${guarantee.id}  ${guarantee.promise}`);
    const say = (line: string): void => console.log(`  ${line}`);
    judged.push(await tryGuarantee(guarantee, { seed, isShort: options.short, historyFolder, say }));
    const last = judged.at(-1);
    for (const { result, fault, figure, bar } of last?.verdicts ?? [])
      say(`${result}: ${fault}: ${figure} (bar: ${bar})`);
  }
  const durationMs = performance.now() - startedAt;
  const isWhole = !options.short && options.only === undefined;
  if (isWhole && options.page) console.log(`written: ${writePage(judged, { seed, durationMs })}`);
  const results = judged.flatMap(({ verdicts }) => verdicts.map(({ result }) => result));
  const count = (wanted: string): number => results.filter((result) => result === wanted).length;
  console.log(`\n${count('held')} held, ${count('broken')} broken, ${count('skipped')} skipped`);
  const broken = count('broken') > 0;
  if (broken) console.log(`histories: ${historyFolder}`);
  else rmSync(historyFolder, { recursive: true, force: true });
  console.log(`chaos: ${Math.round(durationMs / 1_000)} s, seed ${seed}`);
  // Processes left by a failed promise must not keep the run alive.
  process.exit(broken ? 1 : 0);
}

function chosen({ only, short }: ChaosOptions): readonly Guarantee[] {
  if (only === undefined) return guarantees.filter(({ isShort }) => isShort || !short);
  const wanted = only.split(',').map((id) => id.trim().toUpperCase());
  const unknown = wanted.filter((id) => !guarantees.some((guarantee) => guarantee.id === id));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} here.`);
  return guarantees.filter(({ id }) => wanted.includes(id));
}

main().catch((error: unknown) => {
  console.error(`chaos: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
