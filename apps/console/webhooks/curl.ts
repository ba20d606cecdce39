/** The request as a command for a terminal. It has no signatures: the console does not have the secret. */
export function curlOf({ url, headers, body }: DeliveryRequest): string {
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(url)}`, ...parts, `--data-raw ${quoted(body)}`].join(' \\\n  ');
}

interface DeliveryRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Within single quotes a shell reads everything as it is, but for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
