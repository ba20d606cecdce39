import { CONSOLE_DOOR } from '@offizin/contracts/console';
import type { ErrorCode } from '@offizin/contracts/error-table';
import { accessOf, type Operation } from '@offizin/contracts/operation';
import { consoleDoorOperations } from '@offizin/contracts/operations';
import { isStaffScope } from '@offizin/contracts/scopes';
import { pathsOf, tagsOf } from './document';
import { operationObject, parameters } from './operations';
import { ResponseCollection, responseHeaders } from './responses';
import { type JsonObject, SchemaCollection } from './schemas';

/**
 * The OpenAPI description of the console's door (apps/gateway/console). The console's calls are typed by it, and every
 * answer that a test receives there is compared with it. It is not published: the console is the only caller.
 */
export function consoleApiDocument(): JsonObject {
  const schemas = new SchemaCollection();
  const responses = new ResponseCollection(schemas);
  const described = consoleDoorOperations.map((op) => ({
    ...op,
    access: accessOf(op, true),
    statuses: op.waitingReply ? [...op.statuses, 202] : op.statuses,
    refuses: [...op.refuses, ...refusalsOfDoor(op)],
  }));
  const paths = pathsOf(described, (op) => operationObject(op, schemas, responses, securityOfDoor));
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [SERVER],
    tags: tagsOf(described),
    paths,
    components: {
      securitySchemes,
      parameters,
      headers: responseHeaders,
      responses: responses.all(),
      schemas: schemas.all(),
    },
  };
}

const INFO = {
  title: 'Offizin console',
  version: '2.0.0',
  summary: "What the staff console calls, on the gateway's own address",
  description: [
    'For the pages of the console only: it changes with them, without notice. A person is signed in by a cookie, and',
    'reads and changes what the scopes of the role allow. Organization API, for programs: external-api.yaml.',
  ].join(' '),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const SERVER = {
  url: `{base_url}${CONSOLE_DOOR}`,
  description: 'The address from which the page of the console came',
  variables: { base_url: { default: 'https://api.offizin.test' } },
};

const securitySchemes: JsonObject = {
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-offizin',
    description: 'The session of a person, set by signing in; no script can read it',
  },
  ConsolePage: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Offizin-Console',
    description:
      '`1`. No secret: a page of another site cannot send it. The browser adds `Origin` and `Sec-Fetch-Site`, which are checked, too',
  },
};

const isReading = ({ method }: Operation): boolean => method === 'GET';

/** A reading call needs the session, a changing one also the proof that the console's page sends it. */
function securityOfDoor(op: Operation): JsonObject[] {
  const scopes = isStaffScope(op.access) ? [op.access] : [];
  const page = isReading(op) ? {} : { ConsolePage: [] };
  return [op.access === 'anyone' ? page : { Session: scopes, ...page }];
}

/** What the guards of the door and forwarding refuse, besides what follows from the operation (refusals.ts). */
function refusalsOfDoor(op: Operation): ErrorCode[] {
  const needsProof = !isReading(op) || typeof op.reply === 'string';
  return [
    'service_unavailable',
    'timeout',
    ...(isStaffScope(op.access) ? (['insufficient_scope'] as const) : []),
    ...(needsProof || op.path.includes('{orgId}') ? (['forbidden'] as const) : []),
  ];
}
