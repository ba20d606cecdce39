import { parse } from 'yaml';
import type { Description } from '@offizin/openapi/samples/described-call';
import { openApiYaml } from '@offizin/openapi/yaml';
import { nounsOf } from './nouns';

it('says in words that a call is deprecated, for the list and the search', () => {
  const description = parse(openApiYaml()) as Description;
  const path = '/api/v2/public/orgs/{orgId}/inventory';
  const { get } = description.paths[path] ?? {};
  if (!get) throw new Error(`there is no GET ${path}`);
  const paths = { ...description.paths, [path]: { get: { ...get, deprecated: true } } };
  const calls = nounsOf({ ...description, paths }).flatMap((noun) => noun.calls);
  const marked = calls.filter(({ summary }) => summary.endsWith('(deprecated)'));
  expect(marked.map(({ summary }) => summary)).toEqual([`${get.summary} (deprecated)`]);
});
