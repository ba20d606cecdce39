import { randomUUID } from 'node:crypto';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/order-requests';
import { SMALL_BYTES } from '@offizin/http-body/body-pieces';
import { callKeysOf } from '@offizin/local-stack/secrets';
import { CALLER_TOKEN_HEADER, CallKeys, signCaller } from '@offizin/runtime/call-keys';
import type { Bench, Block } from '../bench';
import { residentMb } from '../cpu-time';
import { type HttpRequest, UNIQUE } from '../load/job';
import type { Row } from '../row';
import type { Tenant } from '../seed/tenants';
import { CONNECTOR_PATH, edge, forgetDocuments, pdfOf, requestBody } from './order-request-bodies';

/** Handing in at a shop's domain: what the edge adds to order-core alone. */
const PDF_BYTES = MAX_PDF_BYTES / 2;
const CALLERS_WITH_PDF = 8;
const MEMORY_LOOK_MS = 20;

export const connectorRows: Row[] = [
  ...(['p50Ms', 'p99Ms'] as const).map((figure): Row => ({
    name: `connector 1 KB, 1 caller, ${figure.slice(0, 3)}`,
    unit: 'ms',
    bar: { of: 'difference', atMost: figure === 'p50Ms' ? 1.2 : 3.5 },
    against: 'order-core alone',
    run: async (bench) => {
      const tenant = await bench.tenants.get('connector');
      // The same reference: the request is there already, and what is measured is the way, not the writing.
      const body = requestBody('known', { note: 'x'.repeat(700) });
      return bench.alternate(figure, edge(bench, tenant, body, 1), core(bench, tenant, body, 1));
    },
  })),
  {
    name: 'connector 1 KB, 16 callers, cost',
    unit: 'µs of a core',
    bar: { of: 'difference', atMost: 300 },
    against: 'order-core alone',
    run: async (bench) => {
      const tenant = await bench.tenants.get('connector');
      const body = requestBody(UNIQUE, { note: 'x'.repeat(700) });
      return bench.alternate('costUs', edge(bench, tenant, body, 16), core(bench, tenant, body, 16));
    },
  },
  {
    name: 'connector 1 KB, 64 callers',
    unit: '/s',
    bar: { of: 'nothing' },
    against: 'order-core alone',
    run: async (bench) => {
      const tenant = await bench.tenants.get('connector');
      const body = requestBody(UNIQUE, { note: 'x'.repeat(700) });
      return bench.alternate('perSecond', edge(bench, tenant, body, 64), core(bench, tenant, body, 64));
    },
  },
  {
    name: 'connector 5 MB PDF, 8 callers',
    unit: '/s',
    bar: { of: 'ratio', atLeast: 0.7 },
    against: 'order-core alone',
    run: async (bench) => {
      const tenant = await bench.tenants.get('connector with documents');
      const body = requestBody(UNIQUE, { prescription_pdf_base64: pdfOf(PDF_BYTES) });
      const [product, raw] = [edge, core].map((way) => way(bench, tenant, body, CALLERS_WITH_PDF));
      if (!product || !raw) throw new Error('two ways were asked for');
      const measured = await bench.alternate('perSecond', product, raw);
      await forgetDocuments(bench, tenant);
      return measured;
    },
  },
  {
    name: 'connector 5 MB PDF, memory that the edge takes for 8 callers',
    unit: 'MB',
    bar: { of: 'ratio', atMost: 2 },
    against: 'the bytes in flight',
    run: async (bench) => {
      const tenant = await bench.tenants.get('connector with documents');
      const body = requestBody(UNIQUE, { prescription_pdf_base64: pdfOf(PDF_BYTES) });
      const block = edge(bench, tenant, body, CALLERS_WITH_PDF);
      const small = edge(bench, tenant, requestBody('known'), CALLERS_WITH_PDF);
      await small({ durationMs: bench.pace.blockMs });
      const taken = await growthOf(bench.stack.apps['connector-edge'].pid ?? 0, () =>
        block({ durationMs: bench.pace.blockMs }),
      );
      await forgetDocuments(bench, tenant);
      const inFlight = (CALLERS_WITH_PDF * body.length) / 1e6;
      return { product: taken, raw: inFlight, ratio: taken / inFlight };
    },
  },
];

/** More than a block sends. The token of a small body covers its bytes, so each unique body needs its own. */
const UNIQUE_BODIES = 10_000;

/** The same request at order-core's internal port. Calls begin within 5 s of their token, so each block has its own. */
function core(bench: Bench, tenant: Tenant, body: string, callers: number): Block {
  const keys = CallKeys.of('connector-edge', callKeysOf('connector-edge', bench.stack.secrets.callKeys));
  const ports = [bench.stack.ports['order-core']];
  return async (extent) => {
    const caller = {
      kind: 'integration' as const,
      orgId: tenant.orgId,
      shopId: tenant.shops[0]?.shopId ?? null,
      actorId: await keyIdOf(bench, tenant),
      scopes: [],
      requestId: 'bench',
    };
    const request = (text: string): HttpRequest => {
      const bytes = Buffer.from(text);
      const bound = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
      const signed = bytes.length <= SMALL_BYTES ? [bytes] : null;
      const token = signCaller(keys, caller, { method: 'POST', url: CONNECTOR_PATH, headers: bound }, signed);
      return {
        method: 'POST',
        path: CONNECTOR_PATH,
        headers: { ...bound, [CALLER_TOKEN_HEADER]: token },
        body: text,
      };
    };
    const isSignedApart = body.includes(UNIQUE) && body.length <= SMALL_BYTES;
    const requests = isSignedApart
      ? Array.from({ length: UNIQUE_BODIES }, () => request(body.replace(UNIQUE, randomUUID())))
      : [request(body)];
    return bench.load.http({ ports, callers, requests, ...extent });
  };
}

async function keyIdOf(bench: Bench, { orgId }: Tenant): Promise<string> {
  const [key] = await bench.rows<{ id: string }>(
    `SELECT id FROM core.api_keys WHERE org_id = $1 AND kind = 'int'`,
    orgId,
  );
  return key?.id ?? '';
}

/** Megabytes by which a process is larger, at most, while the work runs. */
async function growthOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentMb(pid);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentMb(pid))), MEMORY_LOOK_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}
