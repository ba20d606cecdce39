import { escapeIdentifier, type Pool } from 'pg';

/** A table with all its partitions. */
export interface TableSize {
  /** `core.orders` */
  name: string;
  rows: number;
  /** Rows and their large values (TOAST). */
  dataBytes: number;
  indexBytes: number;
}

/** What a number of orders added to one table. */
export interface Growth extends TableSize {
  rowsPerOrder: number;
  bytesPerOrder: number;
}

const SCHEMAS = ['core', 'catalog', 'webhooks'];

const SIZES = `SELECT n.nspname AS schema, t.relname AS name, sum(pg_table_size(leaf.oid))::float8 AS data_bytes,
         sum(pg_indexes_size(leaf.oid))::float8 AS index_bytes
  FROM pg_class leaf
    JOIN pg_class t ON t.oid = coalesce(pg_partition_root(leaf.oid), leaf.oid)
    JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE leaf.relkind = 'r' AND n.nspname = ANY ($1::text[])
  GROUP BY 1, 2 ORDER BY 1, 2`;

/** Of every table of the three schemas, after a vacuum. */
export async function readTableSizes(sql: Pool): Promise<TableSize[]> {
  await sql.query('VACUUM (ANALYZE)');
  const { rows } = await sql.query<{
    schema: string;
    name: string;
    data_bytes: number;
    index_bytes: number;
  }>(SIZES, [SCHEMAS]);
  const sizes: TableSize[] = [];
  for (const { schema, name, data_bytes: dataBytes, index_bytes: indexBytes } of rows) {
    const counted = await sql.query<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM ${escapeIdentifier(schema)}.${escapeIdentifier(name)}`,
    );
    sizes.push({ name: `${schema}.${name}`, rows: counted.rows[0]?.count ?? 0, dataBytes, indexBytes });
  }
  return sizes;
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
      const dataBytes = table.dataBytes - (earlier?.dataBytes ?? 0);
      const indexBytes = table.indexBytes - (earlier?.indexBytes ?? 0);
      const perOrder = { rowsPerOrder: rows / orders, bytesPerOrder: (dataBytes + indexBytes) / orders };
      return { name: table.name, rows, dataBytes, indexBytes, ...perOrder };
    })
    .filter(({ rows }) => rows > 0)
    .sort((one, other) => other.bytesPerOrder - one.bytesPerOrder);
}
