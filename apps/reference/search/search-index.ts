import MiniSearch from 'minisearch';
import {
  type DescribedOperation,
  type Description,
  parameterOf,
  type Schema,
  schemaOf,
} from '@offizin/openapi/samples/described-call';
import { type Guide, nameOf, sectionsOf } from '../guides/guides';
import { nounsOf, shortPath } from '../nouns';
import { addressOfCalls, addressOfGuide } from '../route';

export interface Found {
  address: string;
  title: string;
  /** Where it belongs: the guide, or method and path. */
  place: string;
}
interface Entry extends Found {
  id: string;
  kind: 'guide' | 'section' | 'call';
  names: string;
  text: string;
}

const RESULTS_AT_MOST = 30;
/** A page about a word comes before the many calls that mention it. */
const WEIGHT_OF_KIND = { guide: 4, section: 2, call: 1 };

/** Full text of the guides and of every call with its parameters and fields. Made once, when the first word is typed. */
export function searchIndex(description: Description, guides: readonly Guide[]): (words: string) => Found[] {
  const entries = [...guides.flatMap(entriesOfGuide), ...entriesOfCalls(description)];
  const index = new MiniSearch<Entry>({
    fields: ['title', 'names', 'text'],
    storeFields: ['kind'],
    searchOptions: {
      boost: { title: 4, names: 4 },
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (_id, _word, stored) => WEIGHT_OF_KIND[stored?.['kind'] as Entry['kind']],
    },
  });
  index.addAll(entries);
  const byAddress = new Map(entries.map((entry) => [entry.id, entry]));
  return (words) =>
    index
      .search(words)
      .flatMap(({ id }) => byAddress.get(String(id)) ?? [])
      .slice(0, RESULTS_AT_MOST);
}

function entriesOfGuide(guide: Guide): Entry[] {
  const name = nameOf(guide);
  return sectionsOf(guide).map(({ id, title, text }) => {
    const address = addressOfGuide(name, id === '' ? undefined : id);
    const isWhole = id === '';
    return {
      id: address,
      address,
      title,
      place: isWhole ? 'Guide' : guide.title,
      kind: isWhole ? 'guide' : 'section',
      names: isWhole ? name : '',
      text: isWhole ? `${guide.about} ${text}` : text,
    };
  });
}

function entriesOfCalls(description: Description): Entry[] {
  return nounsOf(description).flatMap(({ name, calls }) =>
    calls.flatMap(({ operationId, method, path, summary }) => {
      const operation = description.paths[path]?.[method];
      if (!operation) return [];
      const address = addressOfCalls(name, operationId);
      const place = `${method.toUpperCase()} ${shortPath({ path })}`;
      const names = `${operationId} ${path}`;
      return [
        {
          id: address,
          address,
          title: summary,
          place,
          kind: 'call',
          names,
          text: textOf(description, operation),
        },
      ];
    }),
  );
}

function textOf(description: Description, operation: DescribedOperation): string {
  const words = [operation.description];
  for (const parameter of operation.parameters) {
    const { name, description: sentence = '' } = parameterOf(description, parameter);
    words.push(name, sentence);
  }
  const seen = new Set<Schema>();
  const contents = [operation.requestBody, ...Object.values(operation.responses)];
  for (const one of contents)
    for (const { schema } of Object.values((one && 'content' in one && one.content) || {}))
      addFields(description, schema, words, seen);
  return words.join(' ');
}

/** Names and sentences of all fields, below each other. */
function addFields(description: Description, schema: Schema, words: string[], seen: Set<Schema>): void {
  const resolved = schemaOf(description, schema);
  if (seen.has(resolved)) return;
  seen.add(resolved);
  words.push(resolved.description ?? '');
  for (const [name, field] of Object.entries(resolved.properties ?? {})) {
    words.push(name);
    addFields(description, field, words, seen);
  }
  for (const one of [...(resolved.items ? [resolved.items] : []), ...(resolved.anyOf ?? [])])
    addFields(description, one, words, seen);
}
