import { element } from '../element';
import { type Guide, htmlOf, idOf } from './guides';

/** Shows a guide in the article, at the section if one is named. */
export function showGuide(article: HTMLElement, guide: Guide, section: string | undefined): void {
  article.innerHTML = htmlOf(guide);
  for (const heading of article.querySelectorAll('h2, h3')) heading.id = idOf(heading.textContent);
  // Wide tables and code scroll inside of the page, also by keyboard.
  for (const table of article.querySelectorAll('table')) {
    const frame = element('div', { class: 'frame', tabindex: '0', role: 'group', 'aria-label': 'Table' });
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const block of article.querySelectorAll('pre')) block.tabIndex = 0;
  article.hidden = false;
  const target = section === undefined ? null : document.getElementById(section);
  if (target) target.scrollIntoView();
  else window.scrollTo(0, 0);
}
