import { element } from '../element';
import { type Guide, nameOf } from '../guides/guides';
import type { Call, Noun } from '../nouns';
import { addressOfCalls, addressOfGuide, type Route, SCHEMAS, WEBHOOK_EVENTS } from '../route';

/** The side list: guides, then each noun with its calls. The calls of a noun show when it is open. */
export function drawNavigation(place: HTMLElement, guides: readonly Guide[], nouns: readonly Noun[]): void {
  place.replaceChildren(
    element('h2', {}, 'Guides'),
    element('ul', {}, ...guides.map((guide) => item(addressOfGuide(nameOf(guide)), guide.title))),
    element('h2', {}, 'Calls'),
    ...nouns.map(nounGroup),
    element('h2', {}, 'More'),
    element(
      'ul',
      {},
      item(addressOfCalls(WEBHOOK_EVENTS), 'Webhook events'),
      item(addressOfCalls(SCHEMAS), 'Schemas'),
    ),
  );
}

function nounGroup({ name, calls }: Noun): HTMLElement {
  const list = element('ul', {}, item(addressOfCalls(name), `All of ${name}`), ...calls.map(callItem));
  return element('details', { 'data-noun': name }, element('summary', {}, name), list);
}

function callItem({ noun, operationId, method, summary }: Call): HTMLElement {
  const label = element('span', { class: `method ${method}` }, method.toUpperCase());
  return element('li', {}, element('a', { href: addressOfCalls(noun, operationId) }, label, ` ${summary}`));
}

function item(address: string, text: string): HTMLElement {
  return element('li', {}, element('a', { href: address }, text));
}

/** Marks where the reader is, and opens the noun around it. */
export function markPlace(place: HTMLElement, route: Route): void {
  const address = addressOf(route);
  for (const link of place.querySelectorAll('a')) {
    const isHere = link.getAttribute('href') === address;
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (route.view !== 'calls') return;
  for (const group of place.querySelectorAll('details'))
    if (group.dataset['noun'] === route.noun) group.open = true;
}

function addressOf(route: Route): string {
  switch (route.view) {
    case 'start':
      return '#/';
    case 'guide':
      return addressOfGuide(route.name);
    case 'calls':
      return addressOfCalls(route.noun, route.operationId);
  }
}
