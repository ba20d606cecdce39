import { type JestFile, lateFiles, outcomeOf } from './jest-outcome';

const LIMIT = 'Error: thrown: "Exceeded timeout of 480000 ms for a test.\nAdd a timeout value …';
const STEP = 'locator.click: Timeout 20000ms exceeded.\nCall log:\n  - waiting for locator';
const STATEMENT =
  'Unreachable: The database is unavailable. Try again in a moment.\n    at convertDriverError';
const CONNECTION = 'Error: timeout exceeded when trying to connect\n    at Timeout._onTimeout';
const LOST = 'Error: not within 20000 ms: the event arrives';
const WRONG = 'Error: expect(received).toBe(expected)\n\nReceived: "Exceeded timeout of 5 ms for a test"';

function fileOf(name: string, ...failures: string[]): JestFile {
  const failed = failures.map((message) => ({ status: 'failed', failureMessages: [message] }));
  const passed = { status: 'passed', failureMessages: [] };
  return { name, status: failed.length > 0 ? 'failed' : 'passed', assertionResults: [passed, ...failed] };
}

it('tries again where only a limit of time was missed, never where a value was wrong or something did not come', () => {
  const files = [
    fileOf('limits', LIMIT, STEP, STATEMENT, CONNECTION),
    fileOf('passed'),
    fileOf('lost', LOST),
    fileOf('wrong', WRONG),
    fileOf('both', LIMIT, WRONG),
  ];
  expect(lateFiles(files).map(({ name }) => name)).toEqual(['limits']);
});

it('tries nothing again where many files were late', () => {
  const late = Array.from({ length: 5 }, (_, index) => fileOf(`late ${index}`, LIMIT));
  expect(lateFiles(late.slice(1))).toHaveLength(4);
  expect(lateFiles(late)).toEqual([]);
});

it('counts a file that failed outside its tests as one failure', () => {
  const unloadable: JestFile = { name: 'a', status: 'failed', assertionResults: [] };
  const unclosed: JestFile = { ...fileOf('b'), status: 'failed' };
  expect(outcomeOf([unloadable, unclosed, fileOf('c', WRONG, LIMIT)])).toEqual({ passed: 2, failed: 4 });
});
