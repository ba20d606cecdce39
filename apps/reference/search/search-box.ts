import { element } from '../element';
import type { Found } from './search-index';

/**
 * The field with its list of what was found, as a combobox: `/` goes to it from everywhere, arrows choose, Enter opens,
 * Escape empties it. `onWords` hears whether there is anything to search for.
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
  private readonly told = element('p', { class: 'told', role: 'status' });
  private chosen = -1;

  constructor(
    place: HTMLElement,
    private readonly find: (words: string) => Found[],
    private readonly onWords: (isSearching: boolean) => void,
  ) {
    place.append(this.field, this.told, this.list);
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
    this.told.textContent = toldOf(words, found.length);
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

function toldOf(words: string, count: number): string {
  if (words === '') return '';
  if (count === 0) return `Nothing found for “${words}”.`;
  return count === 1 ? '1 result' : `${count} results`;
}
