/** What the part of the address behind `#` shows. Links and reloads keep it. */
export type Route =
  | { view: 'start' }
  | { view: 'guide'; name: string; section?: string | undefined }
  | { view: 'calls'; noun: string; operationId?: string | undefined };

/** Beside the nouns of the description: what it says of webhooks and of bodies. */
export const WEBHOOK_EVENTS = 'webhook-events';
export const SCHEMAS = 'schemas';

export function routeOf(hash: string): Route {
  const [first = '', second, third] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  if (first === '') return { view: 'start' };
  if (first === 'guides') return second ? { view: 'guide', name: second, section: third } : { view: 'start' };
  return { view: 'calls', noun: first, operationId: second };
}

export const addressOfGuide = (name: string, section?: string): string =>
  `#/guides/${name}${section === undefined ? '' : `/${section}`}`;

export const addressOfCalls = (noun: string, operationId?: string): string =>
  `#/${noun}${operationId === undefined ? '' : `/${operationId}`}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
