import { drawn, ofPatient, privately, RAMIPRIL, withDrawn } from '@offizin/testkit/paper-cases';
import { listed, type Paper, paperPdf, privateForm, words } from '@offizin/testkit/papers';
import { readPdfs } from '@offizin/testkit/read-pdfs';
import { type Found, foundIn, lookAt, type PageLook, piecesOf, type WantedPaper } from './finding';
import { otherName } from './patient';
import { type Operators, pageOf, type RawPage } from './read-page';

/** Whose paper it is, from which day, and in which order its pieces are, read by the library of the console. */

interface Reading {
  papers: Paper[];
  customer?: string;
  ordered?: string[];
}

const ofName = (customer: string, ...lines: string[]): Reading => ({ customer, papers: ofPatient(lines) });

const NAMES: Readonly<Record<string, Reading>> = {
  'family name first': ofName('Anna Berger', 'Berger, Anna'),
  'in two lines': ofName('Anna Berger', 'Berger', 'Anna'),
  'in capitals': ofName('Anna Berger', 'BERGER, ANNA'),
  'with titles': ofName('Dr. Anna von Berger', 'Frau Prof. Anna Berger'),
  'a double name': ofName('Anna Müller-Lüdenscheidt', 'Müller-Lüdenscheidt, Anna'),
  'a double name, spelt out': ofName('Anna Müller-Lüdenscheidt', 'Mueller-Luedenscheidt, Anna'),
  'a double name, over two lines': ofName('Anna Müller-Lüdenscheidt', 'Müller-', 'Lüdenscheidt, Anna'),
  'a second first name': ofName('Anna Maria Berger', 'Berger, Anna'),
  'two first names in one': ofName('Anna-Maria Berger', 'Berger, Anna Maria'),
  'of a customer whose family name comes first': ofName('Berger, Anna', 'Berger, Anna'),
  'of a customer with zero-width letters': ofName('An\u200bna Ber\u00adger', 'Berger, Anna'),
  'beside other words': ofName('Anna Berger', 'Frau Anna Berger, geb. Vogel'),
  'of a customer with a name before the marriage': ofName('Anna Berger, geb. Vogel', 'Berger, Anna'),
  'of a customer with it in brackets': ofName('Anna Berger (geborene Vogel-Klein)', 'Berger, Anna'),
  'of a customer with it before the comma': ofName('Berger geb. Vogel, Anna', 'Berger, Anna'),
  'of a customer with it after both': ofName('Berger, Anna, geb. von Vogel', 'Berger, Anna'),
  'of a customer with it in French': ofName('Anna Berger née Vogel', 'Berger, Anna'),
  'of a customer with a day of birth': ofName('Anna Berger, geb. am 14.03.1984 in Köln', 'Berger, Anna'),
  'of a customer with a title': ofName('Dr. med. Anna Berger', 'Berger, Anna'),
  'of a customer with a title before the comma': ofName('Dr.-Ing. Berger, Anna', 'Berger, Anna'),
  'of a customer with a title after both': ofName('Berger, Anna, Dr. rer. nat.', 'Berger, Anna'),
  'of a customer with all of it': ofName('Frau Prof. Dr. Anna Berger, geb. Vogel', 'BERGER', 'Anna'),
  'of a customer whose title is a name': ofName('Amartya Sen', 'Sen, Amartya'),
  'of a customer called Dent': ofName('Dr. Dent, Arthur', 'Dent, Arthur'),
  'of a customer with a title without points': ofName('Dr med Anna Berger', 'Berger, Anna'),
  'of a customer with a title without points after both': ofName('Anna Berger, Dr med', 'Berger, Anna'),
  'of a customer with a title and no first name': ofName('Dr med Berger', 'Dr. med. Berger'),
  'of a customer called Nee': ofName('Anna Nee', 'Nee, Anna'),
  'of a customer with a remark': ofName('Anna Berger, Mutter von Leo Klein', 'Berger, Anna'),
  'of a customer with two family names': ofName('García López, Maria', 'García López, Maria'),
};
/** The patient's field has only a part of the name. */
const PARTS: Readonly<Record<string, Reading>> = {
  'a part of a double name': ofName('Anna Müller-Lüdenscheidt', 'Müller, Anna'),
  'another part of a double name': ofName('Anna Berger-Vogel', 'Vogel, Anna'),
  'the name before the marriage': ofName('Anna Berger, geb. Vogel', 'Vogel, Anna'),
};
const NO_NAMES: Readonly<Record<string, Reading>> = {
  'of a relative': ofName('Anna Berger', 'Berger, Otto'),
  'a longer one': ofName('Anna Berger', 'Bergermann, Anna'),
  'a shorter one': ofName('Anna Bergermann', 'Berger, Anna'),
  'a relative with the name before the marriage': ofName('Anna Berger, geb. Vogel', 'Vogel, Otto'),
  'of a relative, for a customer with both names': ofName('Anna Berger, geb. Vogel', 'Berger, Otto'),
  'of a relative, with a part of a double name': ofName('Anna Berger-Vogel', 'Berger, Otto'),
  'of another family': ofName('Anna Berger, geb. Vogel', 'Klein, Anna'),
  'of a relative with two family names': ofName('García López, Maria', 'García López, Otto'),
  'of another doctor': ofName('Dr. med. Anna Berger', 'Dr. med. Otto Klein'),
  'of another Arthur': ofName('Dr. Dent, Arthur', 'Klein, Arthur'),
  'of another Arthur, family name first': ofName('Dr. Med Arthur', 'Klein, Arthur'),
  'of another Anna': ofName('Anna Nee', 'Klein, Anna'),
  'a letter less': ofName('Anna Bauer', 'Baur, Anna'),
  'far apart': ofName('Anna Berger', 'Vogel, Anna', 'Torstraße 60', '10115 Berlin', 'Berger'),
};
const SWAPPED = { 'changed over': ofName('Peter Hans', 'Peter, Hans') };

const dated = (...lines: string[]): Reading => ({ papers: drawn(listed(60, 100, [...lines, RAMIPRIL])) });
/** A label and its field below it, 300 points to the right, as forms have them. */
const labelled = (label: string, field: string): Reading => ({
  papers: drawn([words(300, 100, label, { size: 7 }), words(300, 114, field), words(60, 160, RAMIPRIL)]),
});

const BIRTHS: Readonly<Record<string, { reading: Reading; days: string[] }>> = {
  'with its label': { reading: dated('Anna Berger, geb. 14.03.1984'), days: ['1984-03-14'] },
  'in short': { reading: dated('Anna Berger, geb. am 4.3.1984'), days: ['1984-03-04'] },
  'with a star': { reading: dated('Anna Berger *14.03.1984'), days: ['1984-03-14'] },
  'of two digits': { reading: dated('geb. 14.03.84'), days: ['2084-03-14', '1984-03-14'] },
  'with blanks': { reading: dated('Geburtsdatum: 14. 03. 1984'), days: ['1984-03-14'] },
  'in English': { reading: dated('DOB: 14/03/1984'), days: ['1984-03-14'] },
  'below its label': { reading: labelled('geb. am', '14.03.1984'), days: ['1984-03-14'] },
  'below a name before the marriage': {
    reading: dated('Anna Berger geb. Vogel', 'Ausgestellt am 14.03.2026', 'geb. am 14.03.1984'),
    days: ['1984-03-14'],
  },
  'without a label': { reading: dated('Anna Berger, 14.03.1984'), days: [] },
  'of a dose': { reading: dated('Ramipril*5 mg', 'Datum 14.03.2026'), days: [] },
  'of the day on which it was passed on': { reading: dated('ausgegeb. 14.03.2026'), days: [] },
};
const ISSUES: Readonly<Record<string, { reading: Reading; day: string | null }>> = {
  'with its label': { reading: dated('Ausgestellt am 14.03.2026'), day: '2026-03-14' },
  'below its label': { reading: labelled('Datum', '14.03.2026'), day: '2026-03-14' },
  'after the town': { reading: dated('Berlin, den 14.03.2026'), day: '2026-03-14' },
  'the oldest of two': {
    reading: dated('Ausgestellt am 14.03.2026', 'Ausgestellt am 2.3.2026'),
    day: '2026-03-02',
  },
  'before any other date': {
    reading: dated('Datum 01.02.2026', 'Ausgestellt am 14.03.2026'),
    day: '2026-03-14',
  },
  'not that of the birth': {
    reading: dated('geb. 14.03.1984', 'Datum der Geburt: 14.03.1984'),
    day: null,
  },
  'not that of the prescriber': { reading: dated('Ausgestellt von Dr. Weber, 14.03.2026'), day: null },
};

const OTHER = 'Bisoprolol 2,5 mg Tabletten 50 St';
const ordered = [RAMIPRIL, OTHER];

/** Each with the words by which its pieces are known, in their order. */
const ORDERS: Readonly<Record<string, { reading: Reading; pieces: string[] }>> = {
  'two forms on a sheet': {
    reading: {
      ordered,
      papers: drawn([...privateForm({ lines: [OTHER] }), ...privateForm({ lines: [RAMIPRIL], y: 440 })]),
    },
    pieces: ['Privatrezept', OTHER, 'gez. Weber', 'Privatrezept', RAMIPRIL, 'gez. Weber'],
  },
  'two pages': {
    reading: { ordered, papers: drawn(privateForm({ lines: [OTHER] }), privateForm({ lines: [RAMIPRIL] })) },
    pieces: ['Privatrezept', OTHER, 'gez. Weber', 'Privatrezept', RAMIPRIL, 'gez. Weber'],
  },
  'two patients beside each other': {
    reading: {
      ordered,
      papers: drawn([
        ...listed(60, 80, ['Patient: Anna Berger', OTHER, '1-0-0', 'Dr. Weber']),
        ...listed(330, 80, ['Patient: Otto Berger', RAMIPRIL, '1-0-1', 'Dr. Vogel']),
      ]),
    },
    pieces: ['Anna Berger', OTHER, 'Otto Berger', RAMIPRIL],
  },
  'a heading far above': {
    reading: {
      ordered: [RAMIPRIL],
      papers: withDrawn(
        privately([]),
        ...listed(60, 180, ['Bisher:', 'ASS 100', 'Metformin', 'Simvastatin', 'Pantozol', RAMIPRIL]),
      ),
    },
    pieces: ['Privatrezept', 'Bisher:', RAMIPRIL, 'gez. Weber'],
  },
};

const looks = new Map<string, { looked: PageLook[]; wanted: WantedPaper }>();

beforeAll(async () => {
  const groups = { ...NAMES, ...PARTS, ...NO_NAMES, ...SWAPPED };
  const all: [string, Reading][] = [
    ...Object.entries(groups).map(([name, reading]): [string, Reading] => [`name ${name}`, reading]),
    ...Object.entries(BIRTHS).map(([name, { reading }]): [string, Reading] => [`birth ${name}`, reading]),
    ...Object.entries(ISSUES).map(([name, { reading }]): [string, Reading] => [`issue ${name}`, reading]),
    ...Object.entries(ORDERS).map(([name, { reading }]): [string, Reading] => [`order ${name}`, reading]),
  ];
  const { operators, pages } = await readPdfs<RawPage, Operators>(
    all.map(([, { papers }]) => paperPdf(...papers)),
  );
  for (const [at, [name, reading]] of all.entries()) {
    const lines = (reading.ordered ?? []).map((product) => ({ names: [product], quantity: 1 }));
    const wanted = { customer: reading.customer ?? 'Anna Berger', born: null, lines };
    const looked = (pages[at] ?? []).map(async (raw) => lookAt(await pageOf(1, raw, operators), wanted));
    looks.set(name, { looked: await Promise.all(looked), wanted });
  }
}, 60_000);

const looksOf = (name: string): PageLook[] => looks.get(name)?.looked ?? [];
const namesOf = (name: string) => looksOf(`name ${name}`).flatMap(({ names }) => names);

/** Of each patient's field, the name that is not the customer's. */
function othersOf(key: string): (string | null)[] {
  const { name, looks: looked } = foundOf(`name ${key}`);
  return looked.flatMap(({ forms }) => forms.map((form) => name && otherName(form, name)));
}

function foundOf(name: string): Found {
  const { looked = [], wanted = { customer: null, born: null, lines: [] } } = looks.get(name) ?? {};
  return foundIn(looked, wanted);
}

describe('the name of the customer', () => {
  it.each(Object.keys(NAMES))('is on the paper: %s', (name) => {
    expect(namesOf(name).map(({ isSwapped }) => isSwapped)).toContain(false);
    expect(othersOf(name)).toEqual([null]);
  });

  it.each(Object.keys(PARTS))('is in part on the paper, which its field shows: %s', (name) => {
    expect(namesOf(name).map(({ isSwapped }) => isSwapped)).toContain(false);
    expect(othersOf(name)).toEqual([expect.any(String)]);
  });

  it.each(Object.keys(NO_NAMES))('is not on the paper: %s', (name) => {
    expect(namesOf(name)).toEqual([]);
  });

  it.each(Object.keys(SWAPPED))('is on the paper with first and family name %s', (name) => {
    expect(namesOf(name).map(({ isSwapped }) => isSwapped)).toEqual([true]);
  });
});

describe('a day of birth', () => {
  it.each(Object.keys(BIRTHS))('%s', (name) => {
    const days = looksOf(`birth ${name}`).flatMap(({ births }) => births.flatMap((birth) => birth.days));
    expect(days).toEqual(BIRTHS[name]?.days);
  });
});

describe('the day of issue', () => {
  it.each(Object.keys(ISSUES))('%s', (name) => {
    expect(foundOf(`issue ${name}`).issued?.days[0] ?? null).toBe(ISSUES[name]?.day);
  });

  it('is marked where it is written, beside a date that ends like it', async () => {
    const before = 'Nr. 11.11.2026 bis 1.11.2026, Datum ';
    const { operators, pages } = await readPdfs<RawPage, Operators>([
      paperPdf({ drawn: [words(60, 100, `${before}1.11.2026`, { font: 'typed' })] }),
    ]);
    const [raw] = pages[0] ?? [];
    const page = await pageOf(1, raw as RawPage, operators);
    const [, [issued] = []] = (await lookAt(page, { customer: null, born: null, lines: [] })).issues;
    expect(issued?.mark.left).toBeCloseTo(60 + 6.6 * before.length, 0);
  });
});

describe('the pieces have the order of the paper', () => {
  it.each(Object.keys(ORDERS))('%s', (name) => {
    const { pieces = [] } = ORDERS[name] ?? {};
    const texts = piecesOf(foundOf(`order ${name}`)).map(({ text }) => text);
    expect(texts.map((text, at) => text.includes(pieces[at] ?? ''))).toEqual(pieces.map(() => true));
  });
});
