import type { Language } from '../../text/formats';
import { lazyTexts } from '../../text/texts';
import type { Crop } from './crops';
import type { DocumentNames, PaperTexts } from './paper.de';

/** Loaded with the first prescription that is read. */
export async function loadPaperTexts(language: Language): Promise<PaperTexts> {
  return language === 'de' ? (await import('./paper.de')).paper : (await import('./paper.en')).paper;
}

export const usePaperTexts = lazyTexts({
  de: async () => loadPaperTexts('de'),
  en: async () => loadPaperTexts('en'),
});

export function placeText(crop: Crop, texts: PaperTexts, names: DocumentNames): string {
  const place = texts.place(crop, names);
  return crop.origin === 'text' ? place : `${place}, ${texts.origin[crop.origin]}`;
}
