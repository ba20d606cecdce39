/** What was sent, for a terminal. The signatures are left out: the secret is shown only once, to who asked for it. */
export function curlOf({ url, headers, body }: Sent): string {
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(url)}`, ...parts, `--data-raw ${quoted(body)}`].join(' \\\n  ');
}

interface Sent {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Within single quotes a shell reads everything as it is, but for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
