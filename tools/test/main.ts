import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { stopOrphans } from '@offizin/local-stack/run-record';
import { git, LAST_FULL_FILE, type LastFull, readLastFull } from './changes';
import { runChecks } from './checks';
import { refuseEmptyGlobs, WrongCall } from './inputs';
import { type Outcome, slowestFiles, sum } from './jest-result';
import { endLeftProcesses } from './left-processes';
import { measured, measureSlowness } from './machine';
import { endChildren, type PhaseOptions, type PhaseResult, PHASES, runPhase } from './phases';
import { preparePrograms } from './programs';
import { ALL, select, type Selection } from './selection';
import { RUN_FOLDER } from './servers/run-folder';

const SLOWEST_SHOWN = 20;
const NOTHING: Outcome = { passed: 0, failed: [], skipped: 0 };

/**
 * `npm test [-- <paths and flags of Jest>]`, `npm test -- --changed` and `npm run test:all`. Without paths the static checks
 * run, too. Ends with a line `N passed, N failed, N skipped`.
 */
async function main(given: string[]): Promise<void> {
  const startedAt = performance.now();
  const isAll = given.includes(ALL);
  if (isAll && given.length > 1) throw new WrongCall(`${ALL} takes nothing else: it runs everything.`);
  const begunAt = isAll ? git('rev-parse', 'HEAD') : '';
  const isWhole = isAll || given.length === 0;
  refuseEmptyGlobs();
  const lastFull = readLastFull();
  const selection = select(given, lastFull.commit);
  describe(selection, isWhole && !isAll && !lastFull.problem ? lastFull.age : null);
  const runFolder = mkdtempSync(join(tmpdir(), 'offizin-test-'));
  // Specs start programs under other users, with files below this folder.
  chmodSync(runFolder, 0o755);
  try {
    const outcomes = await runAll(selection, runFolder, { isAll, isWhole, lastFull });
    if (isWhole && !isAll && lastFull.problem) outcomes.push({ ...NOTHING, failed: [lastFull.problem] });
    const { passed, failed, skipped } = sum(outcomes);
    const red = failed.length;
    if (red > 0) console.log(`\nred:\n  ${failed.join('\n  ')}`);
    if (isAll && red === 0) recordFull(begunAt, skipped);
    console.log(`\nin ${Math.round((performance.now() - startedAt) / 1000)} s`);
    console.log(`${passed} passed, ${red} failed, ${skipped} skipped`);
    process.exitCode = red > 0 || passed === 0 ? 1 : 0;
  } finally {
    await cleanUp(runFolder);
  }
}

async function runAll(
  selection: Selection,
  runFolder: string,
  { isAll, isWhole, lastFull }: { isAll: boolean; isWhole: boolean; lastFull: LastFull },
): Promise<Outcome[]> {
  const programs = await preparePrograms(selection.files);
  const slowness = measureSlowness();
  console.log(`deadlines are multiplied by ${slowness}, the slowness of this machine`);
  const temporary = join(runFolder, 'tmp');
  mkdirSync(temporary, { mode: 0o755 });
  const options: PhaseOptions = {
    files: selection.files,
    jestArguments: selection.jestArguments,
    runFolder,
    isAll,
    environment: {
      TMPDIR: temporary,
      [RUN_FOLDER]: runFolder,
      OFFIZIN_SLOWNESS: String(slowness),
      OFFIZIN_TEST_ALL: String(isAll),
      // Of the code that runs inside a spec; the stack's processes log to files, at their own level.
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
    },
  };
  const lintSince = isAll || lastFull.problem ? null : lastFull.commit;
  const checks = isWhole ? measured('static checks', () => runChecks(lintSince)) : Promise.resolve(NOTHING);
  const results: PhaseResult[] = [];
  for (const phase of PHASES) {
    if (stoppedBy) throw new WrongCall(`stopped by ${stoppedBy}`);
    // Beside the checks nothing runs that starts the apps.
    if (phase.hasSecondTry) await checks;
    results.push(await runPhase(phase, options));
  }
  const flaky = results.flatMap((result) => result.flaky);
  if (flaky.length > 0)
    console.log(`\nflaky (red, then green alone; read its first message):\n  ${flaky.join('\n  ')}`);
  const files = results.flatMap((result) => result.files);
  console.log(`\nthe slowest files:\n${slowestFiles(files, SLOWEST_SHOWN).join('\n')}`);
  if (stoppedBy) throw new WrongCall(`stopped by ${stoppedBy}`);
  return [programs, await checks, ...results.map(({ outcome }) => outcome)];
}

function describe({ files, broughtBack, leftOut }: Selection, age: number | null): void {
  console.log(`${files.length} spec files`);
  if (age === null) return;
  console.log(`all specs last passed ${age} commits ago (${LAST_FULL_FILE})`);
  console.log(`${leftOut.length} heavier files are left out: npm run test:all`);
  for (const file of broughtBack) console.log(`  an input changed: ${file}`);
}

/** For the next commit, unless something was skipped, or no commit holds what was tested. */
function recordFull(begunAt: string, skipped: number): void {
  const isClean = git('status', '--porcelain') === '' && git('rev-parse', 'HEAD') === begunAt;
  if (!isClean) return console.log(`not recorded in ${LAST_FULL_FILE}: the tree was changed`);
  if (skipped > 0) return console.log(`not recorded in ${LAST_FULL_FILE}: ${skipped} tests were skipped`);
  writeFileSync(join(checkoutRoot, LAST_FULL_FILE), `${begunAt}\n`);
  console.log(`recorded in ${LAST_FULL_FILE}: commit it`);
}

/** Stops what a Jest left that was killed. */
async function cleanUp(runFolder: string): Promise<void> {
  for (const name of ['database', 'stack']) await stopOrphans(join(runFolder, name)).catch(() => []);
  endLeftProcesses(runFolder);
  rmSync(runFolder, { recursive: true, force: true });
}

/** The signal that ends this run. Children are ended by it; what they leave is put away as at any end. */
let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    stoppedBy = signal;
    endChildren(signal);
  });

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof WrongCall ? error.message : error);
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
});
