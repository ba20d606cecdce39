import { marked, type Token } from 'marked';
import { addressOfGuide } from '../route';

/** A prose page as the gateway serves it at /docs/guides.json. */
export interface Guide {
  file: string;
  title: string;
  about: string;
  /** Markdown. */
  text: string;
}

/** A heading with what stands below it. */
export interface Section {
  id: string;
  title: string;
  text: string;
}

export const nameOf = ({ file }: Pick<Guide, 'file'>): string => file.replace(/\.md$/, '');

/** As HTML with an id at each heading. The texts are ours (docs), so they may hold HTML. */
export function htmlOf({ text }: Guide): string {
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
export function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}
