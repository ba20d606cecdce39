import type { Random } from './random';

/** Invented people of the demo, in letters that a PDF's standard fonts have. Every name, street and number is put together from lists; e-mails end in `.example`. */
export interface Person {
  firstName: string;
  lastName: string;
  email: string;
  street: string;
  postalCode: string;
  town: string;
  phone: string;
  bornOn: string;
}

export interface Prescriber {
  name: string;
  speciality: string;
  practice: string;
  street: string;
  postalCode: string;
  town: string;
  phone: string;
  /** Numbers of practice and doctor as a prescription prints them; invented. */
  practiceNumber: string;
  doctorNumber: string;
}

const FIRST_NAMES = (
  'Anna Lena Marie Sophie Katharina Johanna Greta Frieda Käthe Ayse Elif Nele Paula Clara Ida Hannelore Renate Ute Birgit ' +
  'Sabine Petra Svenja Ronja Jördis Zoë Agnieszka Olga Nadja Thi Mai Emma Lukas Jonas Felix Maximilian Paul Emil Anton ' +
  'Günter Jürgen Björn Sören Mehmet Emre Noah Elias Karl Friedrich Heinz Uwe Torsten Jörg André René Piotr Dimitri Ahmed'
).split(' ');
const LAST_NAMES = (
  'Müller Schmidt Schneider Fischer Weber Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder ' +
  'Neumann Schwarz Zimmermann Braun Krüger Hartmann Lange Großmann Vogt Jäger Weiß Kühn Böhm Yilmaz Öztürk Kowalski ' +
  'Nowak Petrovic Nguyen Thönnes Süßkind Brüggemann Lübke Hübner Fröhlich Weßling Ahrens Behrens Tietjen Straßburger'
).split(' ');
const DOUBLE_NAMES = ['von der Heide', 'Müller-Lüdenscheidt', 'zu Rantzow', 'Krüger-Özdemir', 'van den Boom'];
const STREETS = (
  'Lindenstraße Gartenweg Bahnhofstraße Käthe-Kollwitz-Straße Mühlengasse Am_Stadtpark Schillerstraße Rosenweg Torstraße ' +
  'Kirchplatz Brückenstraße Birkenallee Hölderlinweg Am_alten_Markt Großer_Hirschgraben Wiesengrund Fährstraße Südring'
)
  .split(' ')
  .map((street) => street.replaceAll('_', ' '));
/** Invented towns. Their postal codes begin with 00, which no real place has. */
const TOWNS = [
  ['00117', 'Lindenau an der Weide'],
  ['00231', 'Großmühlen'],
  ['00348', 'Bad Tannheim'],
  ['00459', 'Königsfurt'],
  ['00513', 'Neuenwerder'],
  ['00627', 'Sankt Brücken'],
  ['00738', 'Altenfließ'],
  ['00844', 'Süderhafen'],
  ['00952', 'Weißenhain'],
] as const;
const SPECIALITIES = (
  'Facharzt für Anästhesiologie|Fachärztin für Allgemeinmedizin|Fachärztin für Neurologie|Facharzt für Orthopädie|' +
  'Fachärztin für Innere Medizin|Facharzt für Schmerzmedizin'
).split('|');
const PRACTICES = [
  'Praxis am Stadtpark',
  'Gemeinschaftspraxis Fünf Linden',
  'Schmerzzentrum Südring',
  'Praxis Dr. Überall',
];
const MAIL_DOMAINS = ['post.example', 'brief.example', 'mail.example', 'netz.example'];

export function makePerson(random: Random, number: number): Person {
  const firstName = random.pick(FIRST_NAMES);
  const lastName = random.chance(0.06) ? random.pick(DOUBLE_NAMES) : random.pick(LAST_NAMES);
  return {
    firstName,
    lastName,
    // The number keeps addresses apart: two requests of one address within a day are duplicates.
    email: `${mailName(firstName)}.${mailName(lastName)}${number}@${random.pick(MAIL_DOMAINS)}`,
    ...makeAddress(random),
    phone: `+49 1599 0${random.digits(6)}`,
    bornOn: `${random.between(1938, 2004)}-${twoDigits(random.between(1, 12))}-${twoDigits(random.between(1, 28))}`,
  };
}

export function fullName({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`;
}

export function makePrescriber(random: Random): Prescriber {
  const title = random.pick(['Dr. med.', 'Dr. med.', 'Prof. Dr. med.', 'Dipl.-Med.']);
  return {
    name: `${title} ${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`,
    speciality: random.pick(SPECIALITIES),
    practice: random.pick(PRACTICES),
    ...makeAddress(random),
    phone: `0${random.between(30, 89)} 5550${random.digits(3)}`,
    practiceNumber: `99${random.digits(7)}`,
    doctorNumber: `99${random.digits(7)}`,
  };
}

function makeAddress(random: Random): { street: string; postalCode: string; town: string } {
  const [postalCode, town] = random.pick(TOWNS);
  const letter = random.chance(0.15) ? random.pick(['a', 'b', 'c']) : '';
  return { street: `${random.pick(STREETS)} ${random.between(1, 148)}${letter}`, postalCode, town };
}

const MAIL_LETTERS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', é: 'e', ë: 'e' };

function mailName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[äöüßéë]/g, (letter) => MAIL_LETTERS[letter] ?? letter)
    .replace(/[^a-z]+/g, '-');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
