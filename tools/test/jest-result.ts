import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const MAX_MESSAGE_LENGTH = 300;

/** Of tests and checks. */
export interface Outcome {
  passed: number;
  /** A line for each that names it. */
  failed: readonly string[];
  skipped: number;
}

/** What Jest's `--json` says of a spec file, as far as it is read here. */
export interface JestFile {
  name: string;
  status: 'passed' | 'failed';
  startTime: number;
  endTime: number;
  /** Why it failed outside its tests. */
  message: string;
  assertionResults: { status: string; fullName: string; failureMessages?: readonly string[] }[];
}

/** The spec files of a run; null when it ended without a result. */
export function readJestFiles(file: string): JestFile[] | null {
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { testResults: JestFile[] }).testResults;
}

/** A file that failed outside its tests, such as one that cannot be loaded, counts as one failure. */
export function outcomeOf(files: readonly JestFile[]): Outcome {
  return sum(
    files.map((file) => {
      const count = (...states: string[]): number =>
        file.assertionResults.filter(({ status }) => states.includes(status)).length;
      return {
        passed: count('passed'),
        failed: failuresOf(file),
        skipped: count('pending', 'todo', 'disabled'),
      };
    }),
  );
}

function failuresOf({ name, status, message, assertionResults }: JestFile): string[] {
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [`${name}: ${firstLine(message)}`];
  return failed.map((test) => `${name}: ${test.fullName}: ${firstLine(test.failureMessages?.[0] ?? '')}`);
}

/** Without the colours of the terminal. */
function firstLine(message: string): string {
  const [line = ''] = stripVTControlCharacters(message).trim().split('\n', 1);
  return line.slice(0, MAX_MESSAGE_LENGTH);
}

export function sum(outcomes: readonly Outcome[]): Outcome {
  const total = (key: 'passed' | 'skipped'): number =>
    outcomes.reduce((value, outcome) => value + outcome[key], 0);
  return {
    passed: total('passed'),
    failed: outcomes.flatMap(({ failed }) => failed),
    skipped: total('skipped'),
  };
}

/** One line per file, the slowest first. */
export function slowestFiles(files: readonly JestFile[], most: number): string[] {
  return files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, most)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
