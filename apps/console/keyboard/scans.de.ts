import type { Unreadable } from '@offizin/codes/scan';
import type { WrongScan } from './scan-alarm';

const title: Record<WrongScan['kind'], string> = {
  garbage: 'Code nicht lesbar',
  unreadable: 'Code nicht lesbar',
  unknown: 'Unbekannter Code',
  unanswered: 'Keine Antwort',
  unclear: 'Code nicht eindeutig',
  other: 'Anderes Produkt',
  busy: 'Nicht gezählt',
};

const unreadable: Record<Unreadable, string> = {
  empty: 'Es kam kein Code an.',
  too_long: 'Der Code ist länger als jeder Produktcode.',
  form: 'Der Code hat keine bekannte Form.',
  check_digit: 'Die Prüfziffer stimmt nicht.',
  date: 'Der Code enthält ein Verfalldatum, das es nicht gibt.',
  cut: 'Das Ende des Codes fehlt.',
  two_codes: 'Es kamen zwei Codes zugleich an.',
  separators: 'Der Scanner sendet keine Trennzeichen, deshalb ist die Charge nicht sicher zu lesen.',
  no_product: 'Der Code nennt kein Produkt.',
  foreign: 'Der Code enthält eine Produktnummer aus einem anderen Land.',
  layout:
    'Scanner und Gerät sind auf verschiedene Tastaturen eingestellt. Bitte richten Sie den Scanner am Packplatz unter „Scanner“ ein.',
};

/** German texts of codes that are scanned on a page of commands. scans.en.ts has the same keys, by its type. */
export const scans = {
  title,
  unreadable,
  garbage: 'Der Code kam nur in Teilen an. Bitte scannen Sie noch einmal.',
  unreadableCode: (why: string, code: string) =>
    `${why} Gelesen: ${code}. Bitte scannen Sie noch einmal, oder geben Sie die Angaben von Hand ein.`,
  unknown: (code: string) =>
    `${code} gehört zu keinem Produkt Ihrer Apotheke. Bitte tragen Sie den Code unter „Produkte“ ein, oder suchen Sie das Produkt von Hand.`,
  unanswered: (code: string) => `Für ${code} kam keine Antwort vom Server. Bitte scannen Sie noch einmal.`,
  unclear: (code: string, names: string) =>
    `${code} ist die PZN des einen und die GTIN des anderen Produkts: ${names}. Bitte wählen Sie das richtige Produkt von Hand.`,
  other: (name: string, wanted: string, code: string) =>
    `${name} gehört nicht zur offenen Buchung von ${wanted} und ist nicht gezählt (${code}). Bitte buchen Sie zuerst ${wanted}, oder brechen Sie ab.`,
  busy: (code: string) => `${code}: Die Buchung davor läuft noch. Bitte scannen Sie noch einmal.`,
  understood: 'Verstanden',
};

export type ScanTexts = typeof scans;
