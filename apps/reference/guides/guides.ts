import { marked, type Token } from 'marked';
import { addressOfGuide } from '../route';
import { element } from '../element';

/** A prose page as the gateway serves it at /docs/guides.json. */
export interface Guide {
  file: string;
  title: string;
  about: string;
  /** Markdown. */
  text: string;
}

/** A heading with the text below it. */
interface Section {
  id: string;
  title: string;
  text: string;
}

export const nameOf = ({ file }: Pick<Guide, 'file'>): string => file.replace(/\.md$/, '');

/** As HTML with an id at each heading. The texts are ours (docs), so they may hold HTML. */
function htmlOf({ text }: Guide): string {
  const tokens = marked.lexer(text);
  void marked.walkTokens(tokens, (token) => {
    if (token.type === 'link') token['href'] = addressOfLink(String(token['href']));
  });
  return marked.parser(tokens);
}

/** `webhooks.md#verify` is a page beside this one. */
function addressOfLink(href: string): string {
  const [, file, section] = /^([\w-]+)\.md(?:#(.+))?$/.exec(href) ?? [];
  return file === undefined ? href : addressOfGuide(file, section);
}

/** The first sentence of what a guide says about itself. */
export function sentenceOf({ about }: Guide): string {
  return about.replaceAll('`', '').split(/(?<=\.)\s/)[0] ?? '';
}

export function sectionsOf({ text, title }: Guide): Section[] {
  const sections: Section[] = [{ id: '', title, text: '' }];
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading' && token['depth'] > 1) {
      const heading = plain(token);
      sections.push({ id: idOf(heading), title: heading, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text += ` ${plain(token)}`;
    }
  }
  return sections;
}

function plain(token: Token): string {
  return token.raw
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[#`*|[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** As GitHub makes it, so that links of the docs hold in both places. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

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
