import { makePdf } from '@offizin/testkit/pdf';
import type { Bench, Block } from '../bench';
import type { HttpRequest } from '../load/job';
import type { Tenant } from '../seed/tenants';

/** Order requests as a telemedicine platform hands them in, with a document or without. */
export const CONNECTOR_PATH = '/api/v1/external-order';

export function requestBody(reference: string, payload: object = {}): string {
  const items = [{ name: 'Salbe', quantity: 2, price: 3.5 }];
  return JSON.stringify({
    source: 'bench',
    external_reference: reference,
    payload: { customer_name: 'Erika Mustermann', items, ...payload },
  });
}

/** A PDF of this size, as base64: the rest stands in a comment before its end. */
export function pdfOf(bytes: number): string {
  const small = makePdf('Rezept').toString('latin1');
  const filler = `%${'x'.repeat(bytes - small.length - 2)}\n`;
  return Buffer.from(small.replace('xref\n', `${filler}xref\n`), 'latin1').toString('base64');
}

/** To the tenant's first shop domain. */
export function edgeRequest(tenant: Tenant, body: string): HttpRequest {
  const headers = {
    host: tenant.shops[0]?.domain ?? '',
    apikey: tenant.integrationKey,
    'content-type': 'application/json',
  };
  return { method: 'POST', path: CONNECTOR_PATH, headers, body };
}

/** Blocks of one body. */
export function edge(bench: Bench, tenant: Tenant, body: string, callers: number): Block {
  const requests = [edgeRequest(tenant, body)];
  const ports = [bench.stack.ports['connector-edge']];
  return async (extent) => bench.load.http({ ports, callers, requests, ...extent });
}

/** Gigabytes, else, after a few runs. */
export async function forgetDocuments(bench: Bench, { orgId }: Tenant): Promise<void> {
  await bench.sql.query('DELETE FROM core.documents WHERE org_id = $1', [orgId]);
  await bench.sql.query('VACUUM core.documents');
}
