import { existsSync, readFileSync } from 'node:fs';

/** Passed and failed tests and checks. */
export interface Outcome {
  passed: number;
  failed: number;
}

/** What Jest's `--json` says of a spec file, as far as it is read here. */
export interface JestFile {
  name: string;
  status: 'passed' | 'failed';
  assertionResults: { status: string; failureMessages: string[] }[];
}

/**
 * A whole test, a step in a browser, or the wait for the database exceeded its limit. `eventually` is not among them:
 * what it waited for may be lost.
 */
const MISSED_LIMITS = [
  /^Error: thrown: "Exceeded timeout of \d+ ms for a test\b/,
  /^(?:TimeoutError: )?\w+\.\w+: Timeout \d+ms exceeded/,
  /^Unreachable: The database (?:is unavailable|did not finish)/,
  // node-postgres, for statements that a spec runs itself.
  /^Error: timeout exceeded when trying to connect/,
];
/** More than these are no matter of a busy machine. */
const MOST_FILES_AGAIN = 4;

/** The spec files of a run; null when it ended without a result. */
export function readJestFiles(file: string): JestFile[] | null {
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { testResults: JestFile[] }).testResults;
}

/** A file that failed outside its tests, such as one that cannot be loaded, counts as one failure. */
export function outcomeOf(files: readonly JestFile[]): Outcome {
  return files.reduce(
    ({ passed, failed }, file) => {
      const count = (status: string): number =>
        file.assertionResults.filter((test) => test.status === status).length;
      const failedTests = count('failed');
      const failures = failedTests === 0 && file.status === 'failed' ? 1 : failedTests;
      return { passed: passed + count('passed'), failed: failed + failures };
    },
    { passed: 0, failed: 0 },
  );
}

/**
 * The files in which nothing failed but that a limit of time was missed. Beside other tests that says little of the code;
 * alone it says something. A wrong value has no second try.
 */
export function lateFiles(files: readonly JestFile[]): JestFile[] {
  const late = files.filter(({ assertionResults }) => {
    const messages = assertionResults.flatMap(({ failureMessages }) => failureMessages);
    return messages.length > 0 && messages.every(isMissedLimit);
  });
  return late.length > MOST_FILES_AGAIN ? [] : late;
}

function isMissedLimit(message: string): boolean {
  return MISSED_LIMITS.some((pattern) => pattern.test(message));
}
