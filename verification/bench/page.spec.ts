import { cpuTable, outcomeLine, outcomeTable, performancePage } from './page';
import { type Bar, isMet, type Measured } from './measured';
import type { Outcome, Row } from './row';

function row(name: string, bar: Bar, unit: Row['unit'] = '/s'): Row {
  return { name, unit, bar, against: 'statement', run: () => Promise.reject(new Error('not run here')) };
}

const measured: Measured = { product: 4_000, raw: 5_000, ratio: 0.8 };

describe('isMet', () => {
  it.each<[Bar, boolean]>([
    [{ of: 'ratio', atLeast: 0.8 }, true],
    [{ of: 'ratio', atLeast: 0.81 }, false],
    [{ of: 'ratio', atMost: 0.8 }, true],
    [{ of: 'ratio', atMost: 0.79 }, false],
    [{ of: 'value', atMost: 3_999 }, false],
    [{ of: 'value', atLeast: 4_000 }, true],
  ])('%j: %s', (bar, expected) => {
    expect(isMet(bar, measured)).toBe(expected);
  });

  it('is never so without a figure', () => {
    expect(isMet({ of: 'ratio', atLeast: 0 }, { product: 1, raw: null, ratio: null })).toBe(false);
  });
});

describe('the table', () => {
  const outcomes: Outcome[] = [
    { row: row('upsert, 64 callers', { of: 'ratio', atLeast: 0.8 }), measured },
    {
      row: row('memory', { of: 'value', atMost: 150 }, 'MB'),
      measured: { product: 151, raw: null, ratio: null, note: 'gateway' },
    },
    { row: row('large, 1 caller, p50', { of: 'ratio', atMost: 4 }), skipped: 'the disk is short' },
    { row: row('broken', { of: 'ratio', atMost: 4 }), failed: 'it answered 500' },
  ];
  const lines = (text: string): string[][] =>
    text
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()));

  it('shows figures, ratio, bar and a missed bar; a skipped or failed row has its reason', () => {
    expect(lines(outcomeTable(outcomes))).toEqual([
      ['', 'upsert, 64', '4,000/s', 'statement 5,000', '0.80', '≥0.8', ''],
      ['', 'memory (gateway)', '151 MB', 'statement', '–', '≤150 MB missed', ''],
      ['', 'large, 1', 'skipped: the disk is short', 'statement', '', '≤4', ''],
      ['', 'broken', 'failed: it answered 500', 'statement', '', '≤4', ''],
    ]);
  });

  it('prints each row as one line', () => {
    expect(outcomes.map(outcomeLine)).toEqual([
      'upsert, 64 callers: 4,000/s, against statement 5,000, ratio 0.80, bar ≥0.8',
      'memory: 151 MB, against statement, ratio –, bar ≤150 MB missed',
      'large, 1 caller, p50: skipped, the disk is short',
      'broken: FAILED, it answered 500',
    ]);
  });
});

it('prints a cost in µs with its rate, and the bar in the same unit', () => {
  const outcome = {
    row: row('approve', { of: 'value', atMost: 260 }, 'µs'),
    measured: { product: 1_480, raw: 460, ratio: 3.22, rate: '540/s' },
  };
  expect(outcomeLine(outcome)).toBe(
    'approve: 1,480 µs (540/s), against statement 460, ratio 3.22, bar ≤260 µs missed',
  );
});

it('shows the CPU of each process per call, and how much of it the load took', () => {
  const cpu = { gateway: 120.4, load: 39.6 };
  const outcome = {
    row: row('upsert, 16 callers', { of: 'ratio', atMost: 4 }),
    measured: { ...measured, cpu },
  };
  const cells = cpuTable([outcome])
    .split('\n')[2]
    ?.split('|')
    .map((cell) => cell.trim());
  expect(cells).toEqual(['', 'upsert, 16', '120', '25%', '']);
  expect(cpuTable([])).toBe('');
});

it('shows on the page where the time goes in rows that sizing needs', () => {
  const cpu = { gateway: 120, load: 40 };
  const outcomes = ['needed', 'other'].map((name) => ({
    row: { ...row(name, { of: 'ratio', atMost: 4 }), sizing: name === 'needed' },
    measured: { ...measured, cpu },
  }));
  const [, section = ''] = performancePage(['Date: 1'], outcomes).split('## Where the time goes');
  expect(section).toContain('| needed ');
  expect(section).not.toContain('| other ');
});
