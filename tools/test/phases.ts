import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { type JestFile, type Outcome, outcomeOf, readJestFiles, sum } from './jest-result';
import { endLeftProcesses } from './left-processes';
import { measured } from './machine';
import { WITHOUT_BROWSER } from './servers/stack';

/**
 * One phase after the other, so that two stacks never run concurrently. Within a phase, files run beside each other,
 * and after them, one by one, those that judge time.
 */
export interface Phase {
  name: string;
  /** Of jest.config.cjs. */
  projects: string[];
  /** A red file of real processes runs once more alone. */
  hasSecondTry: boolean;
}

export const PHASES: readonly Phase[] = [
  { name: 'unit', projects: ['unit'], hasSecondTry: false },
  { name: 'database', projects: ['database'], hasSecondTry: false },
  { name: 'stories', projects: ['stories', 'stories-alone'], hasSecondTry: true },
  { name: 'alone', projects: ['own-stacks'], hasSecondTry: true },
];

export interface PhaseOptions {
  /** Paths of all selected spec files. */
  files: readonly string[];
  /** Further arguments of Jest, such as `-t`. */
  jestArguments: readonly string[];
  runFolder: string;
  environment: Record<string, string>;
  isAll: boolean;
}

/** More flaky files than these are a defect and not a busy machine. */
const MOST_FLAKY_FILES = 2;

const config = createRequire(__filename)(join(checkoutRoot, 'jest.config.cjs')) as {
  projects: { displayName: string; testRegex: string }[];
};

export function filesOf({ projects }: Phase, files: readonly string[]): string[] {
  const regexes = config.projects
    .filter(({ displayName }) => projects.includes(displayName))
    .map(({ testRegex }) => new RegExp(testRegex));
  return files.filter((file) => regexes.some((regex) => regex.test(file)));
}

export interface PhaseResult {
  outcome: Outcome;
  /** Of the first try. */
  files: JestFile[];
  flaky: string[];
}

export async function runPhase(phase: Phase, options: PhaseOptions): Promise<PhaseResult> {
  const files = filesOf(phase, options.files);
  if (files.length === 0) return { outcome: outcomeOf([]), files: [], flaky: [] };
  console.log(`\n== ${phase.name}: ${files.length} files`);
  const first = await measured(phase.name, () => runJest(phase, files, options));
  const failed = first.files.filter(({ status }) => status === 'failed');
  const mayTryAgain = phase.hasSecondTry && !options.isAll && !wasStopped && failed.length > 0;
  const tried = mayTryAgain && failed.length <= MOST_FLAKY_FILES;
  const again = tried ? await tryAgain(phase, failed, options) : failed;
  // After a signal the servers are still there: the caller puts them away.
  const leftProcesses = wasStopped ? outcomeOf([]) : endLeftProcesses(options.runFolder);
  const green = first.files.filter((file) => !failed.includes(file));
  const outcome = sum([outcomeOf([...green, ...again]), leftProcesses, first.end]);
  const flaky = tried ? again.filter(({ status }) => status === 'passed').map(({ name }) => name) : [];
  return { outcome, files: first.files, flaky };
}

/** Both results are printed; what is green alone is named `flaky` at the end. */
async function tryAgain(phase: Phase, failed: JestFile[], options: PhaseOptions): Promise<JestFile[]> {
  const names = failed.map(({ name }) => name);
  console.log(`\nonce more, alone:\n  ${names.join('\n  ')}`);
  const { files } = await runJest(phase, names, {
    ...options,
    jestArguments: [...options.jestArguments, '--runInBand'],
  });
  return files.length === failed.length ? files : failed;
}

/**
 * `end` is a failure outside of the spec files, such as an event that is not described, found when the servers stop.
 */
async function runJest(
  { name, projects }: Phase,
  files: readonly string[],
  { jestArguments, runFolder, environment }: PhaseOptions,
): Promise<{ files: JestFile[]; end: Outcome }> {
  const resultFile = join(runFolder, `${name}.json`);
  rmSync(resultFile, { force: true });
  const selection = ['--selectProjects', ...projects, '--runTestsByPath', ...files];
  const needsBrowser = files.some((file) => file.endsWith('.browser.spec.ts'));
  const code = await run([...jest('--json', '--outputFile', resultFile), ...jestArguments, ...selection], {
    ...environment,
    [WITHOUT_BROWSER]: String(!needsBrowser),
  });
  const found = readJestFiles(resultFile);
  const isRed = code !== 0 && !found?.some(({ status }) => status === 'failed');
  return {
    files: found ?? [],
    end: { passed: 0, failed: isRed ? [`${name}: failed outside its spec files`] : [], skipped: 0 },
  };
}

export function jest(...args: string[]): [string, ...string[]] {
  return [process.execPath, join(checkoutRoot, 'node_modules', 'jest', 'bin', 'jest.js'), ...args];
}

const children = new Set<ChildProcess>();
let wasStopped = false;

export function endChildren(signal: NodeJS.Signals): void {
  wasStopped = true;
  for (const child of children) child.kill(signal);
}

/** Resolves with the exit code; output goes straight through, except Jest's JSON, which goes to its file. */
export async function run(
  [file, ...args]: [string, ...string[]],
  environment: Record<string, string> = {},
): Promise<number> {
  const env = { ...process.env, NX_DAEMON: 'false', ...environment };
  const child = spawn(file, args, { cwd: checkoutRoot, env, stdio: ['ignore', 'inherit', 'inherit'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
