import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measured } from './measured';
import type { Outcome, Row } from './row';
import { readRuns, saveRun } from './saved-run';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offizin-bench-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const row = (name: string): Row => ({
  name,
  unit: 'ms',
  bar: { of: 'nothing' },
  against: '',
  run: () => Promise.reject(new Error('not run')),
});
const [one, two] = [row('one'), row('two')];
const measured = (product: number): Measured => ({ product, raw: null, ratio: null });

function part(name: string, machine: string[], ...outcomes: Outcome[]): string {
  const file = join(folder, name);
  saveRun(file, machine, outcomes);
  return file;
}

it('puts the parts of a run together; a later part counts', () => {
  const first = part(
    'a',
    ['Date: 1', 'M'],
    { row: one, measured: measured(1) },
    { row: two, failed: 'token' },
  );
  const second = part('b', ['Date: 2', 'M'], { row: two, measured: measured(3) });
  expect(readRuns([first, second], [one, two])).toEqual({
    machine: ['Date: 1, 2', 'M'],
    outcomes: [
      { row: one, measured: measured(1) },
      { row: two, measured: measured(3) },
    ],
  });
});

it('refuses a row that no part has, and parts of different machines', () => {
  const first = part('c', ['Date: 1', 'M'], { row: one, skipped: 'disk' });
  expect(() => readRuns([first], [one, two])).toThrow('Not measured: two');
  const second = part('d', ['Date: 1', 'other'], { row: two, measured: measured(1) });
  expect(() => readRuns([first, second], [one, two])).toThrow('different machines');
});
