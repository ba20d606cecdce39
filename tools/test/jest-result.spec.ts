import { type JestFile, outcomeOf, slowestFiles } from './jest-result';

function fileOf(name: string, seconds: number, ...states: string[]): JestFile {
  const assertionResults = states.map((status) => ({
    status,
    fullName: `is ${status}`,
    failureMessages: status === 'failed' ? ['\u001b[31mError: no answer\u001b[39m\n    at a'] : [],
  }));
  const status = states.includes('failed') ? 'failed' : 'passed';
  return { name, status, startTime: 1_000, endTime: 1_000 + seconds * 1_000, message: '', assertionResults };
}

it('names each red test, and a file that failed outside its tests', () => {
  const unloadable: JestFile = { ...fileOf('a', 1), status: 'failed', message: '\nno module' };
  const unclosed: JestFile = { ...fileOf('b', 1, 'passed'), status: 'failed' };
  const files = [unloadable, unclosed, fileOf('c', 1, 'failed', 'failed', 'passed', 'pending')];
  expect(outcomeOf(files)).toEqual({
    passed: 2,
    failed: ['a: no module', 'b: ', 'c: is failed: Error: no answer', 'c: is failed: Error: no answer'],
    skipped: 1,
  });
});

it('names the slowest files first', () => {
  const files = [fileOf('quick', 1), fileOf('slow', 62), fileOf('slower', 100.04)];
  expect(slowestFiles(files, 2)).toEqual(['  100.0 s  slower', '   62.0 s  slow']);
});
