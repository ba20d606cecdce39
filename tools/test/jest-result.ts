import { existsSync, readFileSync } from 'node:fs';

/** Tests and checks. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

/** What Jest's `--json` says of a spec file, as far as it is read here. */
export interface JestFile {
  name: string;
  status: 'passed' | 'failed';
  startTime: number;
  endTime: number;
  assertionResults: { status: string }[];
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
      const failedTests = count('failed');
      const failed = failedTests === 0 && file.status === 'failed' ? 1 : failedTests;
      return { passed: count('passed'), failed, skipped: count('pending', 'todo', 'disabled') };
    }),
  );
}

export function sum(outcomes: readonly Outcome[]): Outcome {
  const total = (key: keyof Outcome): number => outcomes.reduce((value, outcome) => value + outcome[key], 0);
  return { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
}

/** One line per file, the slowest first. */
export function slowestFiles(files: readonly JestFile[], most: number): string[] {
  return files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, most)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
