import type { Formats } from '../../text/formats';
import type { Said } from './alarms';
import type { Place } from './crops';

/** What follows the number of each document; null for a request with one document, which needs no name. */
export type DocumentNames = Readonly<Record<number, string>> | null;

export interface TextWay {
  date: Formats['date'];
  names: DocumentNames;
}

export interface PaperTexts {
  title: string;
  place: (where: Pick<Place, 'document' | 'page'>, names: DocumentNames) => string;
  head: string;
  foot: string;
  instead: string;
  stamps: string;
  origin: Record<'field' | 'note', string>;
  show: string;
  /** `count`: of all papers. */
  reading: (pages: { read: number; count: number }) => string;
  nothing: string;
  failed: string;
  alarm: { [Kind in keyof Said]: (said: Said[Kind], way: TextWay) => string };
}

const FOUND = { name: 'Name des Patienten', birth: 'Geburtsdatum', prescriber: 'Verordner' };

const place: PaperTexts['place'] = ({ document, page }, names) =>
  names ? `Dokument ${document}${names[document] ?? ''}, Seite ${page}` : `Seite ${page}`;

/** Texts beside the pieces of a prescription. */
export const paper: PaperTexts = {
  title: 'Das Rezept, Position für Position',
  place,
  head: 'Kopf des Rezepts',
  foot: 'Verordner und Unterschrift',
  instead: 'Auf dem Rezept steht:',
  stamps: 'Stempel, Anmerkungen, Großgedrucktes',
  origin: { field: 'aus einem Formularfeld', note: 'aus einer Anmerkung' },
  show: 'Im Dokument zeigen',
  reading: ({ read, count }) =>
    `Das Rezept wird noch gelesen: ${read} von ${count} Seiten. Was fehlt, wird erst danach gemeldet.`,
  nothing: 'Zu den Positionen wurde auf dem Rezept nichts gefunden: selbst lesen.',
  failed: 'Dieser Ausschnitt lässt sich nicht anzeigen: im Dokument lesen.',
  alarm: {
    missing: ({ name }) => `${name}: steht nicht auf dem Rezept`,
    strength: ({ name }) => `${name}: auf dem Rezept steht eine andere Stärke`,
    ink: ({ of, name }) => `${of === 'line' ? name : FOUND[of]}: unsichtbarer Text auf dem Rezept`,
    nameless: () => 'Der Name des Patienten steht nicht auf dem Rezept',
    birth: ({ on, instead }, { date }) => `Geburtsdatum: auf dem Rezept steht ${instead} statt ${date(on)}`,
    word: ({ text }) => `Auf dem Rezept steht „${text}“`,
    picture: ({ pages, document }, { names }) => {
      const [page = 1] = pages;
      if (pages.length === 1) return `${place({ document, page }, names)} ist ein Bild: selbst lesen`;
      const of = names ? `Dokument ${document}${names[document] ?? ''}, Seiten` : 'Die Seiten';
      return `${of} ${pages.slice(0, -1).join(', ')} und ${pages.at(-1)} sind Bilder: selbst lesen`;
    },
    amount: ({ name }) => `${name}: auf dem Rezept steht eine andere Menge`,
    issued: ({ on, ageDays }, { date }) =>
      ageDays < 0
        ? `Ausgestellt am ${date(on)}: das liegt in der Zukunft`
        : `Ausgestellt am ${date(on)}, vor ${ageDays} Tagen`,
    field: ({ name, text }) => `${name}: im Patientenfeld steht „${text}“`,
    apart: ({ name, customer }) => `${name} und ${customer} stehen auf keiner Seite zusammen`,
    swapped: ({ customer }) => `${customer}: Vor- und Nachname sind auf dem Rezept vertauscht`,
    twice: (where, { names }) => `${place(where, names)}: zwei Patientenfelder`,
    covered: (where, { names }) => `${place(where, names)}: eine Anmerkung liegt über dem Text`,
  },
};
