import { foundIn, lookAt, type WantedPaper } from './finding';
import { linesOf, type PaperPage, type Piece } from './page-lines';

/** Words by which a paper takes itself back, beside everyday words that only look like them. */

const piece = (text: string, top: number, more: Partial<Piece> = {}): Piece => {
  const { size = 11 } = more;
  const box = { left: 60, top, right: 60 + text.length * size * 0.5, bottom: top + size * 1.22 };
  return { text, box, size, isTurned: false, origin: 'text', ...more };
};

const WANTED: WantedPaper = { customer: 'Anna Berger', born: null, lines: [] };

async function wordsIn(texts: readonly string[], more: Partial<Piece> = {}, wanted: WantedPaper = WANTED) {
  const usual = ['Privatrezept', 'Name: Berger, Anna, Torstraße 60', 'Dr. med. Sabine Weber, Fachärztin'];
  const pieces = [...usual, ...texts].map((text, at) =>
    piece(text, 60 + at * 16, at < usual.length ? {} : more),
  );
  const page: PaperPage = {
    document: 1,
    number: 1,
    rotation: 0,
    width: 595,
    height: 842,
    covers: [],
    drawings: [],
    isPicture: false,
    ...(await linesOf(pieces)),
  };
  return foundIn([await lookAt(page, wanted)], wanted).looks.flatMap(({ words }) => words);
}

const tonesOf = async (...given: Parameters<typeof wordsIn>) =>
  (await wordsIn(...given)).map(({ tone }) => tone);

const STAMPS: Readonly<Record<string, Partial<Piece>>> = {
  'an annotation': { origin: 'note' },
  'turned letters': { isTurned: true },
  'large letters': { size: 30 },
};

describe.each(Object.keys(STAMPS))('%s', (kind) => {
  it.each([
    'Die KOPIE',
    'Dies ist eine KOPIE',
    'Das ist ein Entwurf',
    'Bitte beachten: nur eine Kopie',
    'This is a COPY',
    'a sample',
    'void',
    'K O P I E',
    'U N G U E L T I G',
    'N I C H T  V E R O R D N E T',
    'MUSTERREZEPT',
    'Rezept-Kopie',
    'Zwei Kopien',
    'ungültiges Rezept',
    'STORNO 20.11.2026',
    'Storniert 20.11.2026',
    'nicht ausgehändigt',
    'Wurde nicht mehr verordnet',
  ])('is red with "%s"', async (text) => {
    expect(await tonesOf([text], STAMPS[kind])).toEqual(['red']);
  });

  it.each([
    'Muster 16',
    'Muster 16 (10.2014)',
    'Praxis Dr. Max Muster',
    'Gültig',
    'Koloskopie',
    'Musterstraße 5',
  ])('is quiet with "%s"', async (text) => {
    expect(await tonesOf([text], STAMPS[kind])).toEqual([]);
  });

  it('goes on in the next line', async () => {
    expect(await tonesOf(['NICHT', 'AUSGEHÄNDIGT'], STAMPS[kind])).toEqual(['red']);
  });
});

it.each([
  ['Kopie', 'red'],
  ['VOID', 'red'],
  ['Entwurf - nicht unterschrieben', 'red'],
  ['Storniert nach Rücksprache', 'red'],
  ['Die Kopie', 'amber'],
  ['Dies ist eine Kopie des Rezepts.', 'amber'],
  ['Dieses Rezept ist ungültig', 'amber'],
  ['Ungültig ohne Stempel', 'amber'],
])('in a usual line, "%s" is %s', async (text, tone) => {
  expect(await tonesOf([text])).toEqual([tone]);
});

it.each([
  'Muster 16',
  'Reichen Sie eine Kopie ein.',
  'Fügen Sie ein Muster bei.',
  'Kopierschutz',
  'Mustermann',
  'Soweit nicht anders verordnet: täglich',
])('in a usual line, "%s" is quiet', async (text) => {
  expect(await tonesOf([text])).toEqual([]);
});

it.each(['Die Kopie verbleibt bei der Krankenkasse.', 'eine Kopie', 'Reichen Sie eine Kopie ein.'])(
  'in small print, also along the edge, "%s" is quiet',
  async (text) => {
    expect(await tonesOf([text], { size: 7 })).toEqual([]);
    expect(await tonesOf([text], { size: 7, isTurned: true })).toEqual([]);
  },
);

it('in small print a sentence that begins with the word is amber', async () => {
  expect(await tonesOf(['Kopie verbleibt bei der Krankenkasse'], { size: 7 })).toEqual(['amber']);
});

describe('a customer called so', () => {
  const wanted = { ...WANTED, customer: 'Anna Muster' };

  it('has the name in any line', async () => {
    expect(await tonesOf(['Muster', 'Anna'], {}, wanted)).toEqual([]);
    expect(await tonesOf(['Anna Muster'], { size: 30 }, wanted)).toEqual([]);
    expect(await tonesOf(['Muster'], { origin: 'note' }, wanted)).toEqual([]);
  });

  it('does not hide the word in the letters of a stamp', async () => {
    expect(await tonesOf(['MUSTER'], { size: 60 }, wanted)).toEqual(['red']);
    expect(await tonesOf(['MUSTER'], { isTurned: true }, wanted)).toEqual(['red']);
  });
});

it('of an ordered product is quiet in its line, and red in another', async () => {
  const wanted = { ...WANTED, lines: [{ names: ['Muster Pharma Ramipril 5 mg'], quantity: 1 }] };
  expect(await tonesOf(['Muster Pharma Ramipril 5 mg'], {}, wanted)).toEqual([]);
  expect(await tonesOf(['Muster Pharma Ramipril 5 mg', 'MUSTER'], {}, wanted)).toEqual(['red']);
});

it('is quoted with the words around it', async () => {
  const long =
    'Wir bitten um Beachtung der folgenden Hinweise: dieses Papier ist nur ein Entwurf und wird noch ersetzt.';
  expect((await wordsIn([long])).map(({ text }) => text)).toEqual([
    '…dieses Papier ist nur ein Entwurf und wird noch ersetzt.',
  ]);
});

it('is read in letters that are drawn one by one, however they are turned', async () => {
  const letters = [...'KOPIE'].map((text, at) => {
    const left = 60 + at * 40;
    return piece(text, 400, { box: { left, top: 400, right: left + 8, bottom: 413 } });
  });
  for (const isTurned of [false, true]) {
    const { lines } = await linesOf(letters.map((letter) => ({ ...letter, isTurned })));
    expect(lines.map(({ text }) => text)).toEqual(['KOPIE']);
  }
});
