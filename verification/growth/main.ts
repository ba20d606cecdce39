import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { startStack, type Stack } from '@offizin/local-stack/stack';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { Bench } from '../bench/bench';
import { describeMachine } from '../bench/machine';
import { paceOf } from '../bench/options';
import { Tenants } from '../bench/seed/tenants';
import { type GrowthOptions, readOptions } from './options';
import { growthPage, growthTable, type Measured } from './page';
import { growthOf, readTableSizes } from './table-sizes';
import { Workload } from './workload';

/**
 * `npm run growth`: takes orders through the main job on real processes and prints rows per order, bytes per row and GB per
 * million orders of each table. With `--page docs/growth.md` it writes that page. An idle machine takes about 30 ms per order.
 */
async function main(options: GrowthOptions): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
  rmSync(options.dataDir, { recursive: true, force: true });
  const stack = await startStack({
    dataDir: options.dataDir,
    ports: 'free',
    signal: stopped.signal,
    extraEnv: withGenerousLimits(),
    onLine: (line) => console.error(`growth: ${line}`),
  });
  try {
    const measured = await measure(stack, options, stopped.signal);
    console.log(`${measured.machine.join('\n')}\n\n${growthTable(measured)}`);
    if (options.page !== null) writeFileSync(options.page, growthPage(measured));
  } finally {
    await stack.stop();
    rmSync(options.dataDir, { recursive: true, force: true });
  }
}

async function measure(
  stack: Stack,
  { orders, pdfKb }: GrowthOptions,
  stopped: AbortSignal,
): Promise<Measured> {
  const pace = paceOf({ quick: false });
  const bench = new Bench(stack, new Tenants(stack), pace, { quick: false, seedLimitMs: 0 });
  const workload = await Workload.prepare(bench, pdfKb);
  try {
    const before = await readTableSizes(bench.sql);
    const walBefore = await walPosition(bench);
    await workload.run(orders, (done) => {
      stopped.throwIfAborted();
      console.error(`growth: ${done} of ${orders} orders`);
    });
    const walBytes = (await walPosition(bench)) - walBefore;
    const growth = growthOf(before, await readTableSizes(bench.sql), orders);
    const machine = [...(await describeMachine(bench)), `Commit: ${commit()}`];
    return { orders, pdfKb, growth, walBytes, machine };
  } finally {
    workload.stop();
    await bench.close();
  }
}

async function walPosition(bench: Bench): Promise<number> {
  const [row] = await bench.rows<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
  );
  return row?.bytes ?? Number.NaN;
}

function commit(): string {
  return execFileSync('git', ['describe', '--always', '--dirty'], {
    cwd: checkoutRoot,
    encoding: 'utf8',
  }).trim();
}

function readOptionsOrExit(): GrowthOptions {
  try {
    return readOptions(process.argv.slice(2), checkoutRoot);
  } catch (error) {
    // --help or an unknown option; commander has printed it.
    process.exit(error instanceof CommanderError ? error.exitCode : 1);
  }
}

main(readOptionsOrExit()).catch((error: unknown) => {
  console.error(`growth: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
