import { diskSection, diskTable, growthOf, stayingGb } from './disk-table';

const size = (name: string, rows: number, bytes: number) => ({ name, rows, bytes });
const growth = growthOf(
  [size('core.orders', 10, 1_500), size('core.staff', 3, 200)],
  [
    size('core.orders', 110, 151_500),
    size('core.staff', 3, 200),
    size('core.documents', 100, 204_800),
    size('core.row_counts', 1, 100),
    size('webhooks.events', 800, 80_000),
  ],
  100,
);
const cells = (text: string, name: string): string[] =>
  (text.split('\n').find((line) => line.includes(name)) ?? '').split('|').map((cell) => cell.trim());

it('shows what orders added to each table, per row and per million orders', () => {
  expect(cells(diskTable({ growth }), ' core.orders ')).toEqual([
    '',
    'core.orders',
    '1.00',
    '1,500',
    '1.50',
    'all',
    '',
  ]);
  expect(cells(diskTable({ growth }), 'webhooks.events')[5]).toBe('35');
});

it('leaves out tables without new rows, and small ones', () => {
  expect(diskTable({ growth })).not.toMatch(/core\.(?:staff|row_counts)/);
});

it('sums up what stays, without documents and rows that are removed by themselves', () => {
  expect(stayingGb({ growth })).toBeCloseTo(1.501);
});

it('says what a document takes per KiB', () => {
  const measured = { orders: 100, pdfKb: 2, growth, walBytes: 100_000, commit: 'abc' };
  expect(diskSection(measured)).toContain('1,024 bytes per KiB');
});
