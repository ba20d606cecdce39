/** Where the URL leads is decided when it is fetched, by the egress guard. */
export function isHttpsWithoutCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '';
}
