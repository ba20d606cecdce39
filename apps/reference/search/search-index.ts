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
import { element } from '../element';

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

/**
 * Full text of the guides and of every call with its parameters and fields. Made once, when the first word is typed.
 */
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

/**
 * The field with its list of what was found, as a combobox: `/` goes to it from everywhere, arrows choose, Enter opens,
 * Escape empties it. `onWords` is called with whether there is anything to search for.
 */
export class SearchBox {
  private readonly field = element('input', {
    type: 'search',
    placeholder: 'Search  ( / )',
    'aria-label': 'Search calls, fields and guides',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  private readonly list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found', hidden: '' });
  private readonly status = element('p', { class: 'told', role: 'status' });
  private chosen = -1;

  constructor(
    place: HTMLElement,
    private readonly find: (words: string) => Found[],
    private readonly onWords: (isSearching: boolean) => void,
  ) {
    place.append(this.field, this.status, this.list);
    this.field.addEventListener('input', () => this.search());
    this.field.addEventListener('keydown', (event) => this.onKey(event));
  }

  focus(): void {
    this.field.focus();
    this.field.select();
  }

  clear(): void {
    this.field.value = '';
    this.search();
  }

  private search(): void {
    const words = this.field.value.trim();
    const found = words === '' ? [] : this.find(words);
    this.list.replaceChildren(...found.map((one, position) => this.row(one, position)));
    this.list.hidden = found.length === 0;
    this.field.setAttribute('aria-expanded', String(found.length > 0));
    this.status.textContent = statusOf(words, found.length);
    this.choose(found.length > 0 ? 0 : -1);
    this.onWords(words !== '');
  }

  private row({ address, title, place }: Found, position: number): HTMLElement {
    const row = element(
      'li',
      { role: 'option', id: `found-${position}`, 'data-address': address },
      element('span', { class: 'title' }, title),
      element('span', { class: 'place' }, place),
    );
    row.addEventListener('click', () => this.open(row));
    return row;
  }

  private onKey(event: KeyboardEvent): void {
    const rows = this.list.children.length;
    if (event.key === 'ArrowDown' && rows > 0) this.choose((this.chosen + 1) % rows);
    else if (event.key === 'ArrowUp' && rows > 0) this.choose((this.chosen + rows - 1) % rows);
    else if (event.key === 'Enter') this.open(this.list.children[this.chosen]);
    else if (event.key === 'Escape') this.clear();
    else return;
    event.preventDefault();
  }

  private choose(position: number): void {
    this.chosen = position;
    for (const [index, row] of [...this.list.children].entries())
      row.setAttribute('aria-selected', String(index === position));
    const row = this.list.children[position];
    if (!row) {
      this.field.removeAttribute('aria-activedescendant');
      return;
    }
    this.field.setAttribute('aria-activedescendant', row.id);
    row.scrollIntoView({ block: 'nearest' });
  }

  private open(row: Element | undefined): void {
    const address = row?.getAttribute('data-address');
    if (!address) return;
    this.clear();
    location.hash = address;
  }
}

function statusOf(words: string, count: number): string {
  if (words === '') return '';
  if (count === 0) return `Nothing found for “${words}”.`;
  return count === 1 ? '1 result' : `${count} results`;
}
