import type { Description } from '@offizin/openapi/samples/described-call';
import { Access, ask, drawAccessForm } from './access/access';
import { byId, element } from './element';
import { type Guide, nameOf, sentenceOf, showGuide } from './guides/guides';
import { drawNavigation, markPlace } from './navigation/navigation';
import { type Noun, nounsOf } from './nouns';
import { addressOfCalls, addressOfGuide, type Route, routeOf, SCHEMAS, WEBHOOK_EVENTS } from './route';
import { type Found, SearchBox, searchIndex } from './search/search-index';
import type { Calls } from './swagger/calls';
import './page.css';

/**
 * The reference: guides and calls beside a list of both. Where its data comes from: the description
 * (/openapi/external-api.json, libs/openapi) and the guides (/docs/guides.json, docs). Samples and the search index are
 * made from them here; nothing is loaded from elsewhere.
 */
interface Page {
  description: Description & { info: { description: string } };
  guides: Guide[];
  nouns: Noun[];
  calls: Promise<Calls>;
}

async function start(): Promise<void> {
  followTheme();
  const [description, guides] = await Promise.all([
    ask<Page['description']>('/openapi/external-api.json'),
    ask<Guide[]>('/docs/guides.json'),
  ]);
  // Calls go to the origin of the page, whatever its name: the policy allows no other.
  description.servers = [{ url: location.origin }];
  const access = new Access();
  drawAccessForm(byId('access'), access);
  const calls = import('./swagger/calls').then(({ startCalls }) =>
    startCalls(byId('calls-ui'), description, access),
  );
  const page: Page = { description, guides, nouns: nounsOf(description), calls };
  drawNavigation(byId('navigation'), guides, page.nouns);
  connectSearch(page);
  byId('loading').remove();
  const onAddress = (): void =>
    void showRoute(page, routeOf(location.hash)).catch((error: unknown) => tell(byId('calls-ui'), error));
  window.addEventListener('hashchange', onAddress);
  onAddress();
}

function connectSearch({ description, guides }: Page): void {
  const side = byId('side');
  let find: ((words: string) => Found[]) | undefined;
  const search = new SearchBox(
    byId('search'),
    (words) => (find ??= searchIndex(description, guides))(words),
    (isSearching) => (byId('navigation').hidden = isSearching),
  );
  const button = document.querySelector('.menu-button');
  const open = (isOpen: boolean): void => {
    side.classList.toggle('open', isOpen);
    button?.setAttribute('aria-expanded', String(isOpen));
  };
  button?.addEventListener('click', () => open(!side.classList.contains('open')));
  window.addEventListener('hashchange', () => {
    open(false);
    byId('content').focus({ preventScroll: true });
  });
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    byId('content').focus();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open(true);
    search.focus();
  });
}

async function showRoute(page: Page, route: Route): Promise<void> {
  const [article, calls] = [byId('article'), byId('calls')];
  markPlace(byId('navigation'), route);
  const guide = route.view === 'guide' && page.guides.find((one) => nameOf(one) === route.name);
  calls.hidden = route.view !== 'calls';
  article.hidden = !calls.hidden;
  if (route.view === 'calls') {
    const { title, about } = headOf(page, route.noun);
    byId('calls-head').replaceChildren(element('h1', {}, title), element('p', {}, about));
    document.title = `${title} · Offizin reference`;
    window.scrollTo(0, 0);
    (await page.calls).show(route.noun, route.operationId);
  } else if (guide) {
    document.title = `${guide.title} · Offizin reference`;
    showGuide(article, guide, route.section);
  } else if (route.view === 'guide') {
    document.title = 'Offizin reference';
    article.replaceChildren(
      element('h1', {}, route.name),
      element('p', {}, 'There is no such guide. The list beside has all.'),
    );
  } else {
    document.title = 'Offizin reference';
    showStart(article, page);
  }
}

function headOf({ nouns }: Page, name: string): { title: string; about: string } {
  if (name === WEBHOOK_EVENTS) return { title: 'Webhook events', about: 'What subscribers receive.' };
  if (name === SCHEMAS) return { title: 'Schemas', about: 'Bodies of requests and answers.' };
  const noun = nouns.find((one) => one.name === name);
  return noun
    ? { title: name, about: noun.about }
    : { title: name, about: 'There is no such noun. The list beside has all.' };
}

function showStart(article: HTMLElement, { description, guides, nouns }: Page): void {
  const row = (address: string, name: string, about: string): HTMLElement =>
    element('li', {}, element('a', { href: address }, name), `: ${about}`);
  article.replaceChildren(
    element('h1', {}, 'Offizin reference'),
    element('p', {}, description.info.description),
    element('h2', {}, 'Guides'),
    element(
      'ul',
      {},
      ...guides.map((guide) => row(addressOfGuide(nameOf(guide)), guide.title, sentenceOf(guide))),
    ),
    element('h2', {}, 'Calls'),
    element('ul', {}, ...nouns.map(({ name, about }) => row(addressOfCalls(name), name, about))),
  );
  window.scrollTo(0, 0);
}

/** Swagger UI is dark by a class, the rest by the reader's setting alone. */
function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

function tell(place: HTMLElement, error: unknown): void {
  place.replaceChildren(element('p', { role: 'alert' }, String(error)));
}

start().catch((error: unknown) => tell(byId('content'), error));
