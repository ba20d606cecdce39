import { lazyTexts } from '../text/texts';
import { partOf, wholeOf } from './audit-objects';

/** Not part of the texts of the first load. */
export const useAuditTexts = lazyTexts({
  de: async () => (await import('./audit.de')).audit,
  en: async () => (await import('./audit.en')).audit,
});

export type Names = ReadonlyMap<string, string>;

/** Ids and digests. */
const LONG = /[0-9a-f-]{36,}/g;

/** An entry in words: who, what, which object. An object without a name is shown by the first characters of its id. */
export function useEntryText(names: Names) {
  const texts = useAuditTexts();
  const split = (text: string): [string, string] => {
    const at = text.indexOf(':');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  };
  const named = (text: string): string => text.replaceAll(LONG, (id) => names.get(id) ?? id.slice(0, 8));
  const who = (actor: string): string => {
    const [kind, id] = split(actor);
    if (kind === 'staff') return names.get(id) ?? texts.person(named(id));
    const said = texts.actors[kind];
    return said === undefined ? actor : said(named(id));
  };
  const what = (action: string): string => texts.actions[action] ?? action;
  const which = (object: string): string => {
    const [kind, rest] = split(object);
    const said = texts.objects[kind];
    const { document, version } = partOf(object);
    const parts = [document && texts.documentNumber(document), version && texts.versionNumber(version)];
    const part = parts.map((name) => (name ? ` · ${name}` : '')).join('');
    // Objects of a shop name the product after it.
    return said === undefined ? object : `${said} ${named(wholeOf(rest)).replace(/:(?=\w)/, ' · ')}${part}`;
  };
  return { who, what, which };
}
