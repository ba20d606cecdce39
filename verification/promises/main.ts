import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
 * Parts: guarantees (the list), g01 to g28 (load, fault and verdict of each, and the specs that are its small run),
 * faults/*, load/*, history (outcomes that the callers saw), checkers/* (verdicts at the end), runner, page. fault-stack/*
 * is one stack for the small runs that kill and pause processes.
 */
interface ChaosOptions {
  short: boolean;
  only?: string;
  seed?: string;
  page: boolean;
  save?: string;
  pageOf?: string[];
}

/** What `--save` writes and `--page-of` reads. */
interface SavedRun {
  seed: string;
  durationMs: number;
  judged: Judged[];
}

const program = new Command('chaos')
  .description('Tests the guarantees with faults, on stacks of real processes.')
  .option('--short', 'the short selection, with small numbers', false)
  .option('--only <ids>', 'only these, such as G3,G7')
  .option('--seed <text>', 'repeats the moments of an earlier run')
  .option('--no-page', 'leave docs/guarantees.md as it is')
  .option('--save <file>', 'write the verdicts of this run to a file')
  .option(
    '--page-of <files...>',
    'runs nothing: writes docs/guarantees.md from saved runs that together are complete',
  );

async function main(): Promise<void> {
  const options = program.parse().opts<ChaosOptions>();
  if (options.pageOf) return pageOf(options.pageOf);
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
  if (options.save)
    writeFileSync(options.save, JSON.stringify({ seed, durationMs, judged } satisfies SavedRun));
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

/** Saved parts of one run, in sequence or from several machines; together they must cover every guarantee. */
function pageOf(files: readonly string[]): void {
  const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as SavedRun);
  const judged = runs
    .flatMap((run) => run.judged)
    .sort((a, b) => Number(a.guarantee.id.slice(1)) - Number(b.guarantee.id.slice(1)));
  const missing = guarantees.filter(
    ({ id }) => judged.filter(({ guarantee }) => guarantee.id === id).length !== 1,
  );
  if (missing.length > 0)
    throw new Error(`Not tried exactly once: ${missing.map(({ id }) => id).join(', ')}.`);
  const durationMs = runs.reduce((sum, run) => sum + run.durationMs, 0);
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  console.log(`written: ${writePage(judged, { seed: seeds.join(' and '), durationMs })}`);
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
