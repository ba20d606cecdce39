import type { DescribedCall } from './described-call';

const CREDENTIALS = {
  token: ['Authorization', 'f"Bearer {os.environ[\'TOKEN\']}"'],
  'api-key': ['X-API-Key', 'os.environ["API_KEY"]'],
  'integration-key': ['apikey', 'os.environ["INTEGRATION_KEY"]'],
} as const;

/** A call with nothing but the standard library of Python 3. */
export function pythonSample(call: DescribedCall, baseUrl: string): string {
  const query = new URLSearchParams(call.query).toString();
  const path = `${call.path}${query && `?${query}`}`;
  const isConnector = call.credentials === 'integration-key';
  const [name, value] = CREDENTIALS[call.credentials];
  const headers = [`${literal(name)}: ${value}`];
  if (call.isRepeatable) headers.push('"Idempotency-Key": str(uuid.uuid4())');
  if (call.body !== undefined) headers.push('"Content-Type": "application/json"');
  const modules = ['json', 'os', ...(call.isRepeatable ? ['uuid'] : []), 'urllib.request'];
  const usesJson = call.body !== undefined || call.answer === 'json' || call.answer === 'list';
  return [
    `import ${modules.filter((module) => module !== 'json' || usesJson).join(', ')}`,
    '',
    'call = urllib.request.Request(',
    `    ${isConnector ? `os.environ["SHOP_URL"] + ${literal(path)}` : literal(`${baseUrl}${path}`)},`,
    `    method="${call.method}",`,
    '    headers={',
    ...headers.map((header) => `        ${header},`),
    '    },',
    ...(call.body === undefined ? [] : [`    data=json.dumps(${literal(call.body, '    ')}).encode(),`]),
    ')',
    'with urllib.request.urlopen(call, timeout=30) as answer:',
    ...receiving(call.answer),
  ].join('\n');
}

function receiving(answer: DescribedCall['answer']): string[] {
  switch (answer) {
    case 'list':
    case 'json':
      return ['    print(json.load(answer))'];
    case 'pdf':
      return ['    with open("document.pdf", "wb") as file:', '        file.write(answer.read())'];
    case 'nothing':
      return ['    print(answer.status)'];
  }
}

/** JSON's strings and numbers are Python's too; its three words are not. */
function literal(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((one: unknown) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${literal(name)}: ${literal(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}
