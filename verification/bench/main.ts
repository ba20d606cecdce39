import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { CommanderError } from 'commander';
import { connectBus } from '@offizin/bus/connection';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { startStack, type Stack } from '@offizin/local-stack/stack';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { Bench } from './bench';
import { type BenchOptions, isWanted, paceOf, readOptions } from './options';
import { cpuTable, outcomeLine, outcomeTable, performancePage } from './page';
import { type Outcome, type Row, Skipped } from './row';
import { ALL_ROWS } from './rows/all-rows';
import { Tenants } from './seed/tenants';

/**
 * `npm run bench`: measures the product and its raw limits in turn, on real processes with the settings of production, in
 * a separate data folder. Prints a table; a full run writes docs/performance.md. Exit code 1 when a row could not be
 * measured; a missed bar is a result, not a failure.
 */

async function main(options: BenchOptions): Promise<void> {
  const rows = ALL_ROWS.filter(({ name }) => isWanted(name, options.only));
  if (options.list) return rows.forEach(({ name }) => console.log(name));
  if (rows.length === 0) throw new Error('No row begins so. --list prints them.');
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
  const stack = await startStack({
    dataDir: options.dataDir,
    ports: 'free',
    signal: stopped.signal,
    extraEnv: withGenerousLimits(),
    onLine: (line) => console.error(`bench: ${line}`),
  });
  try {
    // A row may take minutes; a signal ends it in the middle.
    const stop = once(stopped.signal, 'abort').then(() => stopped.signal.throwIfAborted());
    await Promise.race([measureAll(stack, rows, options), stop]);
  } finally {
    await stack.stop();
  }
}

async function measureAll(stack: Stack, rows: readonly Row[], options: BenchOptions): Promise<void> {
  const bench = new Bench(stack, new Tenants(stack), paceOf(options), options.quick);
  try {
    const machine = await describeMachine(bench);
    console.log(machine.join('\n'));
    const outcomes: Outcome[] = [];
    for (const row of rows) {
      const outcome = await measure(bench, row);
      outcomes.push(outcome);
      console.log(outcomeLine(outcome));
    }
    console.log(`\n${outcomeTable(outcomes)}\n\n${cpuTable(outcomes)}`);
    if (options.page !== null) writeFileSync(options.page, performancePage(machine, outcomes));
    if (outcomes.some((outcome) => 'failed' in outcome)) process.exitCode = 1;
  } finally {
    await bench.close();
  }
}

/** What the figures were measured on, in lines of text; the date comes first. */
async function describeMachine(bench: Bench): Promise<string[]> {
  const [cpu] = cpus();
  const [server] = await bench.rows<{ server_version: string }>('SHOW server_version');
  const [commit] = await bench.rows<{ synchronous_commit: string }>('SHOW synchronous_commit');
  return [
    `Date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `Machine: ${cpu?.model.trim() ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node.js ${process.versions.node}, PostgreSQL ${server?.server_version ?? '?'} ` +
      `(synchronous_commit = ${commit?.synchronous_commit ?? '?'}), NATS ${await natsVersion(bench.stack)}`,
  ];
}

async function natsVersion({ natsOperator: { url, user = '', password = '' } }: Stack): Promise<string> {
  const account = { natsUrl: url, natsUser: user, natsPassword: password };
  const connection = await connectBus({ name: 'operator', ...account });
  const version = connection.info?.version ?? '?';
  await connection.close();
  return version;
}

/** A row that fails must not cost the figures of the others. */
async function measure(bench: Bench, row: Row): Promise<Outcome> {
  try {
    const measured = await row.run(bench);
    return { row, measured: bench.quick ? { ...measured, note: 'quick: small data' } : measured };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return error instanceof Skipped ? { row, skipped: reason } : { row, failed: reason };
  }
}

function readOptionsOrExit(): BenchOptions {
  try {
    return readOptions(process.argv.slice(2), checkoutRoot);
  } catch (error) {
    // --help or an unknown option; commander has printed it.
    process.exit(error instanceof CommanderError ? error.exitCode : 1);
  }
}

main(readOptionsOrExit()).catch((error: unknown) => {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
