import { growthPage, growthTable } from './page';
import { growthOf } from './table-sizes';

const size = (name: string, rows: number, dataBytes: number, indexBytes: number) => ({
  name,
  rows,
  dataBytes,
  indexBytes,
});
const growth = growthOf(
  [size('core.orders', 10, 1_000, 500), size('core.staff', 3, 100, 100)],
  [
    size('core.orders', 110, 101_000, 50_500),
    size('core.staff', 3, 100, 100),
    size('core.documents', 100, 204_800, 0),
    size('webhooks.events', 800, 80_000, 0),
  ],
  100,
);
const cells = (text: string, name: string): string[] =>
  (text.split('\n').find((line) => line.includes(name)) ?? '').split('|').map((cell) => cell.trim());

it('tells what orders added to each table, per row and per million orders', () => {
  expect(cells(growthTable({ growth }), ' core.orders ')).toEqual([
    '',
    'core.orders',
    '1.00',
    '1,500',
    '500',
    '1.50',
    'always',
    '',
  ]);
});

it('leaves out tables without new rows', () => {
  expect(growthTable({ growth })).not.toContain('core.staff');
});

it('sums up what stays, without documents and what is removed by itself', () => {
  expect(cells(growthTable({ growth }), 'all that stays')[5]).toBe('1.50');
  expect(cells(growthTable({ growth }), 'webhooks.events')[6]).toBe('35 days');
});

it('says what a document takes per KiB', () => {
  const measured = { orders: 100, pdfKb: 2, growth, walBytes: 100_000, machine: ['Commit: abc'] };
  expect(growthPage(measured)).toContain('1,024 bytes per KiB');
});
