import type { Operation } from '@offizin/contracts/calls/operation';
import { fillPath } from '@offizin/contracts/calls/path-template';
import { expectDescribed } from './described-answers';
import { http, type HttpAnswer, type HttpOptions } from './http';
import { OPERATION_ROWS, type OperationRow } from './operation-rows';
import type { TestOrganization } from './organization';
import type { Ids } from './organization-things';
import { uniqueTag } from './platform';

/** Differences from the valid call in the operation's row. */
export interface OperationCall {
  ids: Ids;
  /** Token, or key on a shop domain. Default: the organization's own; null sends none. */
  credential?: string | null;
  /** In the path. Default: the organization's own. */
  orgId?: string;
  /** Replaces the row's body. */
  body?: HttpOptions['body'];
  headers?: Record<string, string>;
  /** Added to the row's query. */
  query?: Record<string, string>;
}

/** Rows of a table of tests, one for each operation. */
export function named(ops: readonly Operation[]): [string, Operation][] {
  return ops.map((op) => [`${op.name} (${op.method} ${op.path})`, op]);
}

export function rowOf(op: Operation): OperationRow & { fine: number } {
  const row = { fine: 200, ...OPERATION_ROWS[op.name] };
  if (op.body && !(row.body && row.wrong))
    throw new Error(`${op.name} takes a body: say in verification/kit/operation-rows.ts how it is called`);
  return row;
}

/** True if the call names an object of its caller in the path, query or body. */
export function namesAThing(op: Operation): boolean {
  const { ofNobody, query, body } = rowOf(op);
  const ids = new Proxy<Ids>({}, { get: (_, name) => `<${String(name)}>` });
  const named = JSON.stringify([op.path.replace('{orgId}', ''), query?.(ids), body?.(ids)]);
  return !ofNobody && /\{\w+\}|<(?!fresh)\w+>/.test(named);
}

/** Makes the call; its answer must match the OpenAPI description. */
export async function callOperation(
  op: Operation,
  organization: TestOrganization,
  call: OperationCall,
): Promise<HttpAnswer> {
  const row = rowOf(op);
  const ids = { fresh: uniqueTag(), number: '1', ...call.ids };
  const connector = op.access === 'connector';
  const { baseUrl, connectorUrl } = organization.urls;
  const url = `${connector ? connectorUrl : baseUrl}${pathOf(op, call.orgId ?? organization.orgId, ids)}`;
  const query = new URLSearchParams({ ...row.query?.(ids), ...call.query }).toString();
  const own = connector ? organization.integrationKey.text : organization.token;
  const credential = call.credential === undefined ? own : call.credential;
  const headers: Record<string, string> = connector ? { host: organization.shops[0].domain } : {};
  if (credential !== null) headers[connector ? 'apikey' : 'authorization'] = shown(connector, credential);
  const options: HttpOptions = { method: op.method, headers: { ...headers, ...call.headers } };
  const body = call.body ?? row.body?.(ids);
  if (body !== undefined) options.body = body;
  const answer = await http(query === '' ? url : `${url}?${query}`, options);
  expectDescribed(op.method, url, answer);
  return answer;
}

function shown(connector: boolean, credential: string): string {
  return connector ? credential : `Bearer ${credential}`;
}

function pathOf(op: Operation, orgId: string, ids: Ids): string {
  return fillPath(op.path, (name) => {
    const id = name === 'orgId' ? orgId : ids[name];
    if (id === undefined)
      throw new Error(`${op.name}: there is no thing of the kind ${name} to call it with`);
    return id;
  });
}
