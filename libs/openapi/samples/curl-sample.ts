import type { DescribedCall } from './described-call';

const CREDENTIALS = {
  token: 'Authorization: Bearer $TOKEN',
  'api-key': 'X-API-Key: $API_KEY',
  'integration-key': 'apikey: $INTEGRATION_KEY',
} as const;

export function curlSample(call: DescribedCall, baseUrl: string): string {
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
