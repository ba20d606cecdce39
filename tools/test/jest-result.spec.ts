import { type JestFile, outcomeOf, slowestFiles } from './jest-result';

function fileOf(name: string, seconds: number, ...states: string[]): JestFile {
  const assertionResults = states.map((status) => ({ status }));
  const status = states.includes('failed') ? 'failed' : 'passed';
  return { name, status, startTime: 1_000, endTime: 1_000 + seconds * 1_000, assertionResults };
}

it('counts a file that failed outside its tests as one failure', () => {
  const unloadable: JestFile = { ...fileOf('a', 1), status: 'failed' };
  const unclosed: JestFile = { ...fileOf('b', 1, 'passed'), status: 'failed' };
  const files = [unloadable, unclosed, fileOf('c', 1, 'failed', 'failed', 'passed', 'pending')];
  expect(outcomeOf(files)).toEqual({ passed: 2, failed: 4, skipped: 1 });
});

it('names the slowest files first', () => {
  const files = [fileOf('quick', 1), fileOf('slow', 62), fileOf('slower', 100.04)];
  expect(slowestFiles(files, 2)).toEqual(['  100.0 s  slower', '   62.0 s  slow']);
});
