import { markdownTable } from '../../tools/docs/markdown-table';
import { type Bar, isMet, type Measured, type Outcome, type Unit } from './row';

/** The outcomes as lines of text: for the terminal one by one, for the page as a table. */
const HEAD = ['Figure', 'Product', 'Held against', 'Its figure', 'Ratio', 'Bar', 'Met'];

export function outcomeTable(outcomes: readonly Outcome[]): string {
  return markdownTable([HEAD, ...outcomes.map(cellsOf)]);
}

/** One line, as it is printed when a row is done. */
export function outcomeLine(outcome: Outcome): string {
  const { name } = outcome.row;
  if ('skipped' in outcome) return `${name}: skipped, ${outcome.skipped}`;
  if ('failed' in outcome) return `${name}: FAILED, ${outcome.failed}`;
  const [, product = '', , raw = '', ratio = '', bar = '', met = ''] = cellsOf(outcome);
  return `${name}: ${product}, against ${raw}, ratio ${ratio}, bar ${bar}, met: ${met}`;
}

function cellsOf(outcome: Outcome): string[] {
  const { row } = outcome;
  if ('skipped' in outcome)
    return [row.name, `skipped: ${outcome.skipped}`, row.against, '', '', barText(row), ''];
  if ('failed' in outcome)
    return [row.name, `failed: ${outcome.failed}`, row.against, '', '', barText(row), 'no'];
  const { product, raw, ratio, note } = outcome.measured;
  return [
    note === undefined ? row.name : `${row.name} (${note})`,
    figureText(product, row.unit),
    row.against,
    raw === null ? '–' : figureText(raw, row.unit),
    ratio === null ? '–' : ratio.toFixed(2),
    barText(row),
    metText(row.bar, outcome.measured),
  ];
}

export function figureText(value: number, unit: Unit): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const number = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`;
}

function barText({ bar, unit }: { bar: Bar; unit: Unit }): string {
  if (bar.of === 'nothing') return '–';
  const limit = 'atLeast' in bar ? bar.atLeast : bar.atMost;
  const sign = 'atLeast' in bar ? '≥' : '≤';
  if (bar.of === 'ratio') return `${sign} ${limit}`;
  return `${bar.of === 'difference' ? 'adds ' : ''}${sign} ${figureText(limit, unit)}`;
}

function metText(bar: Bar, measured: Measured): string {
  const met = isMet(bar, measured);
  return met === null ? '–' : met ? 'yes' : 'no';
}

/** Microseconds of a core per request by process, for the rows that have them; the processes that take most come first. */
export function cpuTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) =>
    'measured' in outcome && outcome.measured.cpu
      ? [{ name: outcome.row.name, cpu: outcome.measured.cpu }]
      : [],
  );
  const processes = [...new Set(rows.flatMap(({ cpu }) => Object.keys(cpu)))];
  if (processes.length === 0) return '';
  const cells = rows.map(({ name, cpu }) => {
    const total = processes.reduce((sum, process) => sum + (cpu[process] ?? 0), 0);
    const figures = processes.map((process) => String(Math.round(cpu[process] ?? 0)));
    return [name, ...figures, `${Math.round(((cpu['load'] ?? 0) / total) * 100)} %`];
  });
  return markdownTable([['µs of a core per request', ...processes, 'share of the load'], ...cells]);
}
