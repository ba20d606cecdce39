import type { Description } from '@offizin/openapi/samples/described-call';

export interface Call {
  noun: string;
  operationId: string;
  method: string;
  path: string;
  summary: string;
}
/** Without what all calls of an organization begin with. */
export const shortPath = ({ path }: Pick<Call, 'path'>): string =>
  path.replace(/^\/api\/v2\/public(?:\/orgs\/\{orgId\})?/, '');

export interface Noun {
  name: string;
  about: string;
  calls: Call[];
}

/** The nouns of the description with their calls, both in its order. */
export function nounsOf({ tags, paths }: Description): Noun[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          operationId,
          summary,
          tags: [noun = ''],
        },
      ]) => ({
        noun,
        operationId,
        method,
        path,
        summary,
      }),
    ),
  );
  return tags.map(({ name, description }) => ({
    name,
    about: description,
    calls: calls.filter(({ noun }) => noun === name),
  }));
}
