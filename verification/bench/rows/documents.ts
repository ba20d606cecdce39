import { UNIQUE } from '@offizin/testkit/load/job';
import type { Bench, Block, Round } from '../bench';
import type { DocumentJob } from '../load/raw-jobs';
import { once } from '../rounds';
import { alternating, atMost, type Row } from '../row';
import { edge, forgetDocuments, pdfOf, requestBody } from '../seed/requests';

/** Prescriptions as documents: handed in at the edge, and read back by staff. */
const CALLERS = 8;
const FIELD = 'prescription_pdf_base64';
const READABLE = 20;
/** The size of a usual scan. */
const USUAL_BYTES = 500 * 1024;

const usual = once(async (bench: Bench) => handedIn(bench, USUAL_BYTES));

export const documentRows: Row[] = [
  pdfRow('100 KB', 3.5, async (bench) => handedIn(bench, 100 * 1024)),
  pdfRow('500 KB', 2.5, usual),
  {
    name: `PDF order of 500 KB, ${CALLERS} callers: the edge, per KB`,
    unit: 'µs',
    bar: { of: 'value', atMost: 2 },
    against: '–',
    run: async (bench) => {
      const edgeUs = (await usual(bench)).at(-1)?.product.cpu['connector-edge'] ?? Number.NaN;
      return { product: edgeUs / (bodyWith(USUAL_BYTES).length / 1024), raw: null, ratio: null };
    },
  },
  pdfRow('5 MB', 2, async (bench) => handedIn(bench, 5 * 1024 * 1024)),
  alternating(
    `PDF read of 500 KB, ${CALLERS} callers`,
    'costUs',
    { against: 'bytes', bar: atMost(2), sizing: true },
    async (bench) => {
      const tenant = await bench.tenants.get('read documents');
      const json = bodyWith(USUAL_BYTES);
      await edge(bench, tenant, json, CALLERS)({ count: READABLE });
      const found = await bench.rows<{ id: string }>(
        'SELECT order_request_id AS id FROM core.documents WHERE org_id = $1',
        tenant.orgId,
      );
      const requests = found.map(({ id }) =>
        bench.api(tenant, 'GET', `/order-requests/${id}/prescription.pdf`),
      );
      await storing(bench, json)({ count: READABLE });
      return {
        product: bench.gateway(requests, CALLERS),
        raw: floor(bench, null),
        clean: async () => forgetDocuments(bench, tenant),
      };
    },
  ),
];

function pdfRow(size: string, limit: number, rounds: (bench: Bench) => Promise<Round[]>): Row {
  return {
    name: `PDF order of ${size}, ${CALLERS} callers`,
    unit: 'µs',
    bar: atMost(limit),
    against: 'bytes',
    sizing: size === '500 KB',
    run: async (bench) => bench.compared('costUs', await rounds(bench)),
  };
}

async function handedIn(bench: Bench, bytes: number): Promise<Round[]> {
  const tenant = await bench.tenants.get('connector with documents');
  const json = bodyWith(bytes);
  const rounds = await bench.rounds(edge(bench, tenant, json, CALLERS), storing(bench, json));
  await forgetDocuments(bench, tenant);
  return rounds;
}

function bodyWith(bytes: number): string {
  return requestBody(UNIQUE, { [FIELD]: pdfOf(bytes) });
}

/** Gigabytes, if the blocks did not begin with an empty table, which is like the product's. */
function storing(bench: Bench, json: string): Block {
  const block = floor(bench, { json, field: FIELD });
  return async (extent) => {
    await bench.sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
    await bench.sql.query('DROP TABLE IF EXISTS bench_raw.documents');
    await bench.sql.query('CREATE TABLE bench_raw.documents (LIKE core.documents INCLUDING ALL)');
    return block(extent);
  };
}

function floor(bench: Bench, body: { json: string; field: string } | null): Block {
  const { adminDatabaseUrl: databaseUrl } = bench.stack;
  const job = { kind: 'document', databaseUrl, connections: CALLERS, callers: CALLERS, body } as const;
  return async (extent) => ({
    ...(await bench.load.run<DocumentJob>({ ...job, ...extent }, job)),
    isWorkOfLoad: true,
  });
}
