const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The address under the console's own name, when this machine was asked by another one of its names; null otherwise.
 * Cookie and changes belong to one origin, so a person at http://localhost could not sign in to http://127.0.0.1.
 */
export function underOwnName(host: string | undefined, url: string, ownOrigin: string): string | null {
  const own = new URL(ownOrigin);
  const isOther = LOOPBACK.some((name) => name !== own.hostname && host === hostOf(name, own.port));
  return isOther && LOOPBACK.includes(own.hostname) ? `${ownOrigin}${url}` : null;
}

function hostOf(name: string, port: string): string {
  return port === '' ? name : `${name}:${port}`;
}
