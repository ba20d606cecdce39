import type { Formats, Language } from '../../text/formats';
import type { Alarm } from './alarms';
import type { Crop } from './crops';
import type { PaperTexts } from './paper.de';

/** Loaded with the first prescription that is read. */
export async function loadPaperTexts(language: Language): Promise<PaperTexts> {
  return language === 'de' ? (await import('./paper.de')).paper : (await import('./paper.en')).paper;
}

export function alarmText(
  alarm: Alarm,
  { alarm: texts }: PaperTexts,
  { formats, hasMore }: { formats: Formats; hasMore: boolean },
): string {
  switch (alarm.kind) {
    case 'missing':
    case 'strength':
    case 'ink':
    case 'amount':
      return texts[alarm.kind](alarm.said);
    case 'nameless':
      return texts.nameless(alarm.said);
    case 'birth':
      return texts.birth({ ...alarm.said, on: formats.date(alarm.said.on) });
    case 'word':
      return texts.word(alarm.said);
    case 'picture':
      return texts.picture(hasMore ? alarm.said : { ...alarm.said, document: null });
    case 'issued':
      return texts.issued({ ...alarm.said, on: formats.date(alarm.said.on) });
    case 'field':
      return texts.field(alarm.said);
    case 'apart':
      return texts.apart(alarm.said);
    case 'swapped':
      return texts.swapped(alarm.said);
    case 'twice':
    case 'covered':
      return texts[alarm.kind](alarm.said);
  }
}

export function placeText(
  { document, page, origin }: Pick<Crop, 'document' | 'page' | 'origin'>,
  texts: PaperTexts,
  hasMore: boolean,
): string {
  const place = texts.place(hasMore ? document : null, page);
  return origin === 'text' ? place : `${place}, ${texts.origin[origin]}`;
}
