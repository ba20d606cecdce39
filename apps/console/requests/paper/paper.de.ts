import type { Alarm } from './alarms';

type Said = { [Kind in Alarm['kind']]: Extract<Alarm, { kind: Kind }>['said'] };
/** `document` is null where there is only one. */
type SaidOf<Kind extends Alarm['kind']> = Kind extends 'picture'
  ? { document: number | null; pages: readonly number[] }
  : Said[Kind];

export interface PaperTexts {
  title: string;
  place: (document: number | null, page: number) => string;
  head: string;
  foot: string;
  instead: string;
  origin: Record<'field' | 'note', string>;
  show: string;
  nothing: string;
  failed: string;
  alarm: { [Kind in Alarm['kind']]: (said: SaidOf<Kind>) => string };
}

/** Texts beside the pieces of a prescription. */
export const paper: PaperTexts = {
  title: 'Das Rezept, Position für Position',
  place: (document, page) => (document === null ? `Seite ${page}` : `Dokument ${document}, Seite ${page}`),
  head: 'Kopf',
  foot: 'Fuß (Aussteller)',
  instead: 'Auf dem Rezept steht:',
  origin: { field: 'aus einem Formularfeld', note: 'aus einer Anmerkung' },
  show: 'Im Dokument zeigen',
  nothing: 'Auf dem Rezept ist nichts zu den Positionen gefunden worden: selbst lesen.',
  failed: 'Der Ausschnitt kann nicht gezeigt werden: im Dokument lesen.',
  alarm: {
    missing: ({ name }) => `${name}: steht nicht auf dem Rezept`,
    strength: ({ name }) => `${name}: auf dem Rezept steht eine andere Stärke`,
    ink: ({ name }) => `${name}: steht nur unsichtbar auf dem Rezept`,
    nameless: () => 'Der Name des Patienten steht nicht auf dem Rezept',
    birth: ({ on, instead }) => `Geburtsdatum: auf dem Rezept steht ${instead} statt ${on}`,
    word: ({ text }) => `Auf dem Rezept steht „${text}“`,
    picture: ({ pages, document }) => {
      const place = document === null ? '' : `Dokument ${document}: `;
      return pages.length === 1
        ? `${place}Seite ${pages[0]} ist ein Bild: selbst lesen`
        : `${place}Die Seiten ${pages.join(', ')} sind Bilder: selbst lesen`;
    },
    amount: ({ name }) => `${name}: auf dem Rezept steht eine andere Menge`,
    issued: ({ on, ageDays }) =>
      ageDays < 0
        ? `Ausgestellt am ${on}: das liegt in der Zukunft`
        : `Ausgestellt am ${on}: vor ${ageDays} Tagen`,
    field: ({ name, text }) => `${name}: im Feld des Patienten steht „${text}“`,
    apart: ({ name, customer }) => `${name} und ${customer} stehen auf keiner gemeinsamen Seite`,
    swapped: ({ customer }) => `${customer}: Vor- und Nachname sind auf dem Rezept vertauscht`,
    twice: ({ page }) => `Seite ${page}: zwei Felder für Patienten`,
    covered: ({ page }) => `Seite ${page}: eine Anmerkung liegt über dem Text`,
  },
};
