import { type Bar, isMet, type Measured, type Outcome, type Row } from './row';
import { cpuTable, figureText, outcomeLine, outcomeTable } from './table';

function row(name: string, bar: Bar, unit: Row['unit'] = '/s'): Row {
  return { name, unit, bar, against: 'the bare rows', run: () => Promise.reject(new Error('not run here')) };
}

const measured: Measured = { product: 4_000, raw: 5_000, ratio: 0.8 };

describe('isMet', () => {
  it.each<[Bar, boolean | null]>([
    [{ of: 'ratio', atLeast: 0.8 }, true],
    [{ of: 'ratio', atLeast: 0.81 }, false],
    [{ of: 'ratio', atMost: 0.8 }, true],
    [{ of: 'ratio', atMost: 0.79 }, false],
    [{ of: 'value', atMost: 3_999 }, false],
    [{ of: 'value', atLeast: 4_000 }, true],
    [{ of: 'difference', atMost: -1_000 }, true],
    [{ of: 'difference', atMost: -1_001 }, false],
    [{ of: 'nothing' }, null],
  ])('%j: %s', (bar, expected) => {
    expect(isMet(bar, measured)).toBe(expected);
  });

  it('is never so without a figure', () => {
    expect(isMet({ of: 'ratio', atLeast: 0 }, { product: 1, raw: null, ratio: null })).toBe(false);
  });
});

describe('the table', () => {
  const outcomes: Outcome[] = [
    { row: row('upsert', { of: 'ratio', atLeast: 0.8 }), measured },
    {
      row: row('memory', { of: 'value', atMost: 150 }, 'MB'),
      measured: { product: 151, raw: null, ratio: null },
    },
    { row: row('large', { of: 'ratio', atMost: 4 }), skipped: 'the disk is short' },
    { row: row('broken', { of: 'nothing' }), failed: 'it answered 500' },
  ];

  it('shows figures, ratio, bar and whether it is met; what was skipped or failed says why', () => {
    const lines = outcomeTable(outcomes)
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(lines).toEqual([
      ['', 'upsert', '4,000/s', 'the bare rows', '5,000/s', '0.80', '≥ 0.8', 'yes', ''],
      ['', 'memory', '151 MB', 'the bare rows', '–', '–', '≤ 150 MB', 'no', ''],
      ['', 'large', 'skipped: the disk is short', 'the bare rows', '', '', '≤ 4', '', ''],
      ['', 'broken', 'failed: it answered 500', 'the bare rows', '', '', '–', 'no', ''],
    ]);
  });

  it('prints each row as one line', () => {
    expect(outcomes.map(outcomeLine)).toEqual([
      'upsert: 4,000/s, against 5,000/s, ratio 0.80, bar ≥ 0.8, met: yes',
      'memory: 151 MB, against –, ratio –, bar ≤ 150 MB, met: no',
      'large: skipped, the disk is short',
      'broken: FAILED, it answered 500',
    ]);
  });
});

it('keeps three digits of a figure', () => {
  expect([0.456, 4.56, 45.6, 456, 45_600].map((value) => figureText(value, 'ms'))).toEqual([
    '0.46 ms',
    '4.56 ms',
    '45.6 ms',
    '456 ms',
    '45,600 ms',
  ]);
});

it('says that a cost is µs of a core, with the bar in the same words', () => {
  const cost = row('approve', { of: 'value', atMost: 260 }, 'µs of a core');
  const outcome = { row: cost, measured: { product: 1_480, raw: 460, ratio: 3.22 } };
  expect(outcomeLine(outcome)).toBe(
    'approve: 1,480 µs of a core, against 460 µs of a core, ratio 3.22, bar ≤ 260 µs of a core, met: no',
  );
});

it('shows the CPU of each process per request, and how much of it the load took', () => {
  const cpu = { gateway: 120.4, load: 39.6 };
  const table = cpuTable([{ row: row('upsert', { of: 'nothing' }), measured: { ...measured, cpu } }]);
  expect(
    table
      .split('\n')[2]
      ?.split('|')
      .map((cell) => cell.trim()),
  ).toEqual(['', 'upsert', '120', '40', '25 %', '']);
  expect(cpuTable([])).toBe('');
});
