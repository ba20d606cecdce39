import type { DescribedCall } from './described-call';

/** The client's methods for the operations of the connector, which are not named after them. */
const CONNECTOR_METHODS: Readonly<Record<string, string>> = {
  'order-requests.submit-external': 'submit',
  'order-requests.find-external': 'find',
  'order-requests.list-external': 'requests.list',
  'order-requests.read-external': 'read',
  'order-requests.replace-external': 'requests.replace',
  'order-requests.add-document-external': 'requests.documents.add',
  'order-requests.cancel-external': 'requests.cancel',
  'order-requests.accept-offer-external': 'requests.offer.accept',
  'order-requests.decline-offer-external': 'requests.offer.decline',
  'products.list-external': 'products.list',
  'shops.read-external': 'shop',
  'callback.set-external': 'callback.put',
  'callback.get-external': 'callback.get',
  'callback.delete-external': 'callback.delete',
  'certification.read-external': 'certification.get',
  'certification.restart-external': 'certification.restart',
};

/** A call by the client library (clients/typescript), which exchanges tokens and knows the organization. */
export function typescriptSample(call: DescribedCall, baseUrl: string): string {
  const isConnector = call.credentials === 'integration-key';
  const lines = isConnector
    ? [
        "import { OffizinConnector } from '@offizin/client';",
        '',
        "const { SHOP_URL: shopUrl = '', INTEGRATION_KEY: integrationKey = '' } = process.env;",
        'const connector = new OffizinConnector({ shopUrl, integrationKey });',
      ]
    : [
        "import { Offizin } from '@offizin/client';",
        '',
        "const { API_KEY: apiKey = '' } = process.env;",
        `const offizin = new Offizin({ baseUrl: ${literal(baseUrl)}, apiKey });`,
      ];
  if (call.answer === 'pdf') lines.unshift("import { writeFile } from 'node:fs/promises';");
  return [...lines, ...statements(call)].join('\n');
}

function statements(call: DescribedCall): string[] {
  if (call.credentials === 'api-key')
    return [
      '// The client exchanges the key, and renews its token in time.',
      'console.log(await offizin.organizationId());',
    ];
  const expression = `${methodOf(call)}(${argumentsOf(call).join(', ')})`;
  switch (call.answer) {
    case 'list':
      return [`for await (const one of ${expression}) console.log(one);`];
    case 'pdf':
      return [`await writeFile('document.pdf', await ${expression});`];
    case 'nothing':
      return [`await ${expression};`];
    case 'json':
      return [`console.log(await ${expression});`];
  }
}

function methodOf({ operationId, credentials }: DescribedCall): string {
  if (credentials === 'integration-key') return `connector.${CONNECTOR_METHODS[operationId] ?? operationId}`;
  return `offizin.${operationId.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())}`;
}

function argumentsOf({ operationId, ids, query, body }: DescribedCall): string[] {
  const given = ids.map((id) => literal(id));
  if (operationId === 'order-requests.find-external') return Object.values(query).map((one) => literal(one));
  // Its method takes the URL alone.
  if (operationId === 'callback.set-external')
    return Object.values(body as Record<string, string>).map((one) => literal(one));
  if (body !== undefined) given.push(literal(body));
  else if (Object.keys(query).length > 0) given.push(literal(query));
  return given;
}

/** As Prettier would write it: names of fields without quotes where they need none. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one: unknown) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${fieldName(name)}: ${literal(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}
