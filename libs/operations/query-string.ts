/** A query may contain further question marks (RFC 3986 section 3.4). */
export function queryStringOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
