import type { Language } from '../../text/formats';
import type { Crop } from './crops';
import type { PaperTexts } from './paper.de';

/** Loaded with the first prescription that is read. */
export async function loadPaperTexts(language: Language): Promise<PaperTexts> {
  return language === 'de' ? (await import('./paper.de')).paper : (await import('./paper.en')).paper;
}

export function placeText(crop: Crop, texts: PaperTexts, hasMore: boolean): string {
  const place = texts.place(crop, hasMore);
  return crop.origin === 'text' ? place : `${place}, ${texts.origin[crop.origin]}`;
}
