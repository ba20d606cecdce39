import { describedCall, type DescribedCall, type Description, type FilledIn } from './described-call';
import { pythonSample } from './python-sample';
import { typescriptSample } from './typescript-sample';

export const SAMPLE_LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

/**
 * How the operation is called in each language; null for what the description does not have. Secrets come from the
 * environment: TOKEN or API_KEY, at a shop SHOP_URL and INTEGRATION_KEY. Words in capitals are the reader's to replace.
 */
export function samplesOf(
  description: Description,
  path: string,
  method: string,
  filledIn: FilledIn = {},
): Record<SampleLanguage, string> | null {
  const call = describedCall(description, path, method, filledIn);
  if (!call) return null;
  const baseUrl = description.servers[0]?.url ?? '';
  return {
    curl: curlSample(call, baseUrl),
    TypeScript: typescriptSample(call, baseUrl),
    Python: pythonSample(call, baseUrl),
  };
}

const CREDENTIALS = {
  token: 'Authorization: Bearer $TOKEN',
  'api-key': 'X-API-Key: $API_KEY',
  'integration-key': 'apikey: $INTEGRATION_KEY',
} as const;

function curlSample(call: DescribedCall, baseUrl: string): string {
  const server = call.credentials === 'integration-key' ? '$SHOP_URL' : baseUrl;
  const query = new URLSearchParams(call.query).toString();
  const lines = [
    `curl -sS --fail-with-body -X ${call.method} "${server}${call.path}${query && `?${query}`}"`,
    `-H "${CREDENTIALS[call.credentials]}"`,
  ];
  if (call.isRepeatable) lines.push('-H "Idempotency-Key: $(openssl rand -hex 16)"');
  if (call.body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(call.body, null, 2))}`);
  if (call.answer === 'pdf') lines.push('-o document.pdf');
  return lines.join(' \\\n  ');
}

/** For a shell: nothing inside single quotes has a meaning but the next single quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
