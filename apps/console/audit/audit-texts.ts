import { lazyTexts } from '../text/texts';
import { idIn } from './audit.calls';

/** Not part of the texts of the first load. */
export const useAuditTexts = lazyTexts({
  de: async () => (await import('./audit.de')).audit,
  en: async () => (await import('./audit.en')).audit,
});

export type Names = ReadonlyMap<string, string>;

/** An entry in words: who, what, which object. Unknown names stay as in the log. */
export function useEntryText(names: Names) {
  const texts = useAuditTexts();
  const split = (text: string): [string, string] => {
    const at = text.indexOf(':');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  };
  const who = (actor: string): string => {
    const [kind, id] = split(actor);
    const name = names.get(idIn(actor) ?? '');
    if (kind === 'staff') return name ?? texts.person(id);
    const said = texts.actors[kind];
    return said === undefined ? actor : said(name ?? id);
  };
  const what = (action: string): string => texts.actions[action] ?? action;
  const which = (object: string): string => {
    const [kind, rest] = split(object);
    const said = texts.objects[kind];
    const [id = '', document] = rest.split(/:document:(\d+).*/);
    const part = document === undefined ? '' : ` · ${texts.documentNumber(document)}`;
    return said === undefined ? object : `${said} ${names.get(idIn(object) ?? '') ?? id}${part}`;
  };
  return { who, what, which };
}
