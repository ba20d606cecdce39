import { markdownTable } from '../../tools/docs/markdown-table';
import type { Growth } from './table-sizes';
import { MOVES } from './workload';

export interface Measured {
  orders: number;
  pdfKb: number;
  growth: readonly Growth[];
  /** Bytes of PostgreSQL's log written meanwhile. */
  walBytes: number;
  /** Machine, versions, date and commit. */
  machine: readonly string[];
}

const MILLION = 1e6;
const GB = 1e9;
/** Tables below it are one row of the page. */
const SMALL_GB = 0.005;
const DOCUMENTS = 'core.documents';
/** Tables whose rows are removed by themselves, with the days that they are kept (docs/operations.md, retention). */
const KEPT_DAYS: Partial<Record<string, number>> = {
  'webhooks.events': 35,
  'webhooks.deliveries': 30,
  'webhooks.attempts': 30,
  'catalog.inbox': 7,
};

/** docs/growth.md. */
export function growthPage(measured: Measured): string {
  const { orders, pdfKb, walBytes, machine } = measured;
  return `<!-- Written by \`npm run growth -- --page docs/growth.md\`, never by hand. -->

# What a million orders take

${machine.map((line) => `- ${line}`).join('\n')}

${orders.toLocaleString('en-US')} orders went through the main job on a real stack. Each began as an order request with a
prescription of ${pdfKb} KiB and two lines. A pharmacist's program read the request and its document and approved it with stock. The
order then became ${MOVES.join(', ')}; every event was delivered to one subscription. The tables were vacuumed after each
2,000 orders, as autovacuum does. So a figure contains the space that old row versions leave.

${growthTable(measured)}

Sizes are decimal: 1 GB = 1,000,000,000 bytes. A table with a number of days holds the orders of these days only. All others
grow with every order ([retention](operations.md#retention)). ${DOCUMENTS} depends on your prescriptions: it takes
${Math.round(documentBytesPerKb(measured)).toLocaleString('en-US')} bytes per KiB (1,024 bytes) of PDF.

PostgreSQL wrote ${((walBytes / orders) * (MILLION / GB)).toFixed(1)} GB of log per million orders, documents included. Archives for a
recovery to a point in time need space for it.
`;
}

/** As it is printed, and on the page. */
export function growthTable({ growth }: Pick<Measured, 'growth'>): string {
  const large = growth.filter((table) => gbPerMillion(table) >= SMALL_GB);
  const small = growth.filter((table) => gbPerMillion(table) < SMALL_GB);
  const staying = growth.filter(({ name }) => KEPT_DAYS[name] === undefined && name !== DOCUMENTS);
  return markdownTable([
    ['Table', 'Rows per order', 'Bytes per row', 'of it indexes', 'GB per million orders', 'Kept'],
    ...large.map((table) => cellsOf(table, keptText(table.name))),
    ...(small.length > 0 ? [cellsOf(sumOf('small tables', small), 'always')] : []),
    cellsOf(sumOf('**all that stays, without documents**', staying), 'always'),
  ]);
}

function keptText(name: string): string {
  const days = KEPT_DAYS[name];
  return days === undefined ? 'always' : `${days} days`;
}

function cellsOf(table: Growth, kept: string): string[] {
  const bytes = table.dataBytes + table.indexBytes;
  return [
    table.name,
    table.rowsPerOrder.toFixed(2),
    Math.round(bytes / table.rows).toLocaleString('en-US'),
    Math.round(table.indexBytes / table.rows).toLocaleString('en-US'),
    gbPerMillion(table).toFixed(2),
    kept,
  ];
}

function gbPerMillion({ bytesPerOrder }: Growth): number {
  return (bytesPerOrder * MILLION) / GB;
}

function sumOf(name: string, tables: readonly Growth[]): Growth {
  const sum = (key: Exclude<keyof Growth, 'name'>): number =>
    tables.reduce((total, table) => total + table[key], 0);
  return {
    name,
    rows: sum('rows'),
    dataBytes: sum('dataBytes'),
    indexBytes: sum('indexBytes'),
    rowsPerOrder: sum('rowsPerOrder'),
    bytesPerOrder: sum('bytesPerOrder'),
  };
}

function documentBytesPerKb({ growth, pdfKb }: Measured): number {
  const documents = growth.find(({ name }) => name === DOCUMENTS);
  return documents ? documents.bytesPerOrder / pdfKb : Number.NaN;
}
