/** Syntax only: the egress guard checks the destination when it fetches. */
export function isHttpsWithoutCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '';
}
