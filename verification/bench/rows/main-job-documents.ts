import type { Bench, Block } from '../bench';
import { UNIQUE } from '../load/job';
import type { Row } from '../row';
import { emptyRawDocuments } from '../seed/raw-tables';
import { costRow } from './cost-row';
import { edge, forgetDocuments, pdfOf, requestBody } from './order-request-bodies';

/** Prescriptions as documents: handed in at the edge, and read back by staff. */
const CALLERS = 8;
const FIELD = 'prescription_pdf_base64';
const SIZES = { '100 KB': 100 * 1024, '500 KB': 500 * 1024, '5 MB': 5 * 1024 * 1024 } as const;
type Size = keyof typeof SIZES;
const READABLE = 20;

export const mainJobDocumentRows: Row[] = [
  ...(Object.keys(SIZES) as Size[]).flatMap((size): Row[] => [
    costRow(
      `external order with a PDF of ${size}, ${CALLERS} callers`,
      { against: 'find the text in the bytes, decode, hash once, encrypt, insert', atMost: 3 },
      async (bench) => {
        const tenant = await bench.tenants.get('connector with documents');
        const json = bodyWith(size);
        return {
          product: edge(bench, tenant, json, CALLERS),
          raw: storing(bench, json),
          clean: async () => forgetDocuments(bench, tenant),
        };
      },
    ),
    {
      name: `external order with a PDF of ${size}, ${CALLERS} callers: the edge, per KB of the body`,
      unit: 'µs of a core',
      bar: { of: 'value', atMost: 2 },
      against: 'nothing: the cost stands for itself',
      run: async (bench) => {
        const tenant = await bench.tenants.get('connector with documents');
        const json = bodyWith(size);
        const { cpu } = await bench.cost(edge(bench, tenant, json, CALLERS));
        await forgetDocuments(bench, tenant);
        const perKb = (cpu['connector-edge'] ?? Number.NaN) / (json.length / 1024);
        return { product: perKb, raw: null, ratio: null, cpu };
      },
    },
  ]),
  costRow(
    `read of a 500 KB prescription, ${CALLERS} callers`,
    { against: 'select, decrypt, write', atMost: 3 },
    async (bench) => {
      const tenant = await bench.tenants.get('read documents');
      const json = bodyWith('500 KB');
      await edge(bench, tenant, json, CALLERS)({ count: READABLE });
      const found = await bench.rows<{ id: string }>(
        'SELECT order_request_id AS id FROM core.documents WHERE org_id = $1',
        tenant.orgId,
      );
      const requests = found.map(({ id }) =>
        bench.api(tenant, 'GET', `/order-requests/${id}/prescription.pdf`),
      );
      const raw = floor(bench, null);
      await storing(bench, json)({ count: READABLE });
      return {
        product: bench.gateway(requests, CALLERS),
        raw,
        clean: async () => forgetDocuments(bench, tenant),
      };
    },
  ),
];

function bodyWith(size: Size): string {
  return requestBody(UNIQUE, { [FIELD]: pdfOf(SIZES[size]) });
}

/** Gigabytes, if the blocks did not begin with an empty table. */
function storing(bench: Bench, json: string): Block {
  const block = floor(bench, { json, field: FIELD });
  return async (extent) => {
    await emptyRawDocuments(bench.sql);
    return block(extent);
  };
}

function floor(bench: Bench, body: { json: string; field: string } | null): Block {
  const job = { databaseUrl: bench.stack.adminDatabaseUrl, connections: CALLERS, callers: CALLERS, body };
  return async (extent) => ({ ...(await bench.load.documents({ ...job, ...extent })), isWorkOfLoad: true });
}
