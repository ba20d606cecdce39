import { markdownTable } from '../../tools/docs/markdown-table';

/** What orders take on disk, as the page shows it. Measured by rows/disk.ts. */
export interface DiskUse {
  orders: number;
  /** Size of each prescription, in KiB. */
  pdfKb: number;
  growth: readonly Growth[];
  /** Bytes of PostgreSQL's log written meanwhile. */
  walBytes: number;
  commit: string;
}

/** A table with all its partitions. */
export interface TableSize {
  /** `core.orders` */
  name: string;
  rows: number;
  /** Rows and their large values (TOAST), and indexes. */
  bytes: number;
}

/** What a number of orders added to one table. */
export interface Growth extends TableSize {
  rowsPerOrder: number;
  bytesPerOrder: number;
}

const MILLION = 1e6;
const GB = 1e9;
/** The page leaves out tables below it. */
const SMALL_GB = 0.2;
const DOCUMENTS = 'core.documents';
/** Tables whose rows are removed by themselves, with the days that they are kept (docs/operate/operations.md, retention). */
const KEPT_DAYS: Partial<Record<string, number>> = {
  'webhooks.events': 35,
  'webhooks.deliveries': 30,
  'webhooks.attempts': 30,
  'catalog.inbox': 7,
};

export function diskSection(use: DiskUse): string {
  const { orders, pdfKb, walBytes, commit } = use;
  return `
## What a million orders take

At \`${commit}\`, ${orders.toLocaleString('en-US')} orders went through the main job: a request with two lines and a prescription of ${pdfKb} KiB, approval with
stock, pick-up, one delivery of each event. Rows per order, bytes per row with indexes, GB per million orders, days
[kept](operate/operations.md#retention). Without documents (${documentBytesPerKb(use).toLocaleString('en-US')} bytes per KiB of PDF) ${stayingGb(use).toFixed(2)} GB stay. PostgreSQL wrote ${gbPerMillion(walBytes / orders).toFixed(1)} GB of log.

${diskTable(use)}
`;
}

export function diskTable({ growth }: Pick<DiskUse, 'growth'>): string {
  const large = growth.filter(({ bytesPerOrder }) => gbPerMillion(bytesPerOrder) >= SMALL_GB);
  return markdownTable([['Table', 'Rows', 'Bytes', 'GB', 'Days'], ...large.map(cellsOf)]);
}

/** GB per million orders in tables that only grow, documents not counted: these depend on the prescriptions. */
export function stayingGb({ growth }: Pick<DiskUse, 'growth'>): number {
  const staying = growth.filter(({ name }) => KEPT_DAYS[name] === undefined && name !== DOCUMENTS);
  return gbPerMillion(staying.reduce((sum, { bytesPerOrder }) => sum + bytesPerOrder, 0));
}

/** The tables that have more rows than before, the largest growth first. */
export function growthOf(
  before: readonly TableSize[],
  after: readonly TableSize[],
  orders: number,
): Growth[] {
  return after
    .map((table) => {
      const earlier = before.find(({ name }) => name === table.name);
      const rows = table.rows - (earlier?.rows ?? 0);
      const bytes = table.bytes - (earlier?.bytes ?? 0);
      return { name: table.name, rows, bytes, rowsPerOrder: rows / orders, bytesPerOrder: bytes / orders };
    })
    .filter(({ rows }) => rows > 0)
    .sort((one, other) => other.bytesPerOrder - one.bytesPerOrder);
}

function cellsOf({ name, rowsPerOrder, bytes, rows, bytesPerOrder }: Growth): string[] {
  return [
    name,
    rowsPerOrder.toFixed(2),
    Math.round(bytes / rows).toLocaleString('en-US'),
    gbPerMillion(bytesPerOrder).toFixed(2),
    String(KEPT_DAYS[name] ?? 'all'),
  ];
}

function gbPerMillion(bytesPerOrder: number): number {
  return (bytesPerOrder * MILLION) / GB;
}

function documentBytesPerKb({ growth, pdfKb }: DiskUse): number {
  const documents = growth.find(({ name }) => name === DOCUMENTS);
  return Math.round((documents?.bytesPerOrder ?? Number.NaN) / pdfKb);
}
