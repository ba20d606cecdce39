import { RAMIPRIL } from '@offizin/testkit/paper-cases';
import {
  crossed,
  filled,
  type Ink,
  type Paper,
  paperPdf,
  picture,
  privateForm,
  stamp,
  stroke,
  struck,
  words,
} from '@offizin/testkit/papers';
import { readPdfs } from '@offizin/testkit/read-pdfs';
import { blockAround, type Crop } from './crops';
import { folded } from './folding';
import { type PaperPage, placeOf } from './page-lines';
import { type Operators, pageOf, type RawPage } from './read-page';

/** Where the words of a page are, read by the library that the console reads them with. */

const TYPED: Ink = { font: 'typed' };
/** Of a typed letter of 11 points. */
const LETTER = 6.6;

const TEXTS: Readonly<Record<string, { drawn: string[]; lines: string[] }>> = {
  'one object for each word': {
    drawn: [words(60, 100, 'Ramipril'), words(104, 100, '5'), words(113, 100, 'mg')],
    lines: ['Ramipril 5 mg'],
  },
  'one object for each letter': {
    drawn: Array.from('Ramipril', (letter, at) => words(60 + at * LETTER, 100, letter, TYPED)),
    lines: ['Ramipril'],
  },
  'letters set apart': { drawn: [words(60, 100, 'R a m i p r i l 5 mg')], lines: ['Ramipril 5 mg'] },
  'letters set far apart': {
    drawn: Array.from('UNGÜLTIG', (letter, at) => words(60 + at * 22, 100, letter)),
    lines: ['UNGÜLTIG'],
  },
  'two columns': {
    drawn: [words(60, 100, 'Ramipril 5 mg'), words(300, 100, 'Bisoprolol 10 mg')],
    lines: ['Ramipril 5 mg', 'Bisoprolol 10 mg'],
  },
  'columns that are typed by spaces': {
    drawn: [words(60, 100, 'Ramipril        5 mg', TYPED)],
    lines: ['Ramipril', '5 mg'],
  },
  'words of two fonts': {
    drawn: [words(60, 100, 'Name: '), words(95, 100, 'Berger', TYPED), words(135, 100, ', Anna')],
    lines: ['Name: Berger, Anna'],
  },
  'a raised sign': {
    drawn: [words(60, 100, 'Ramipril'), words(101, 97, '®', { size: 6 }), words(110, 100, '5 mg')],
    lines: ['Ramipril® 5 mg'],
  },
  'lines that are not in their order': {
    drawn: [words(60, 140, 'drei'), words(60, 100, 'eins'), words(60, 120, 'zwei')],
    lines: ['eins', 'zwei', 'drei'],
  },
  'zero-width letters': {
    drawn: [words(60, 100, 'Ber\u200bger, An\u200bna', { font: 'lying' })],
    lines: ['Berger, Anna'],
  },
  'words from right to left': {
    drawn: [words(60, 100, '\u05d1 \u05d0\u05d1\u05d0', { font: 'lying' })],
    lines: ['\u05d0\u05d1\u05d0 \u05d1'],
  },
};

interface MarkCase {
  drawn: string[];
  word: string;
  /** Where it is drawn. */
  left: number;
  right: number;
  /** Its letters are not equally wide. */
  isUneven?: boolean;
}

/** Of a typed text, the letters from `from` to before `to`. */
const typedAt = (text: string, from: number, to: number): Omit<MarkCase, 'word'> => ({
  drawn: [words(60, 100, text, TYPED)],
  left: 60 + from * LETTER,
  right: 60 + to * LETTER,
});

const MARKS: Readonly<Record<string, MarkCase>> = {
  'in the middle of its line': { ...typedAt('Ramipril 5 mg Tabletten', 14, 23), word: 'Tabletten' },
  'after letters that have two': { ...typedAt('Groß, Jörg Weiß, Anna', 17, 21), word: 'Anna' },
  'of letters set apart': { ...typedAt('R a m i p r i l 5 mg', 0, 15), word: 'Ramipril' },
  'after letters set apart': { ...typedAt('R a m i p r i l forte 5 mg', 16, 21), word: 'forte' },
  'of letters drawn one by one': {
    drawn: Array.from('Ramipril', (letter, at) => words(60 + at * 20, 100, letter, TYPED)),
    word: 'Ramipril',
    left: 60,
    right: 60 + 7 * 20 + LETTER,
  },
  'the first from right to left': {
    drawn: [words(60, 100, '\u05d1 \u05d0\u05d1\u05d0', { font: 'lying' })],
    word: '\u05d0\u05d1\u05d0',
    left: 69,
    right: 80,
    isUneven: true,
  },
  'the last from right to left': {
    drawn: [words(60, 100, '\u05d1 \u05d0\u05d1\u05d0', { font: 'lying' })],
    word: '\u05d1',
    left: 60,
    right: 66,
    isUneven: true,
  },
};

const FORM = privateForm({ lines: [RAMIPRIL, '1-0-0'] });
const beside = (...drawn: string[]): Paper => ({ drawn: [...FORM, ...drawn] });

/** What lies beside the line of the medicine, 178 points below the edge; where its piece ends, if not with its words. */
const BESIDE: Readonly<Record<string, { paper: Paper; left?: number; right?: number }>> = {
  'a cross to its left': { paper: beside(crossed(28, 167)), left: 22 },
  'a cross to its right': { paper: beside(crossed(550, 167)), right: 570 },
  'an annotation': { paper: { drawn: FORM, notes: [struck(28, 167, 28, { height: 14 })] }, left: 22 },
  'a small picture': { paper: beside(picture(28, 167, 14, 14)), left: 22 },
  'a scan behind it': { paper: { drawn: [picture(0, 0, 595, 842), ...FORM] }, left: 0, right: 595 },
  'thousands of dots': {
    paper: beside(...Array.from({ length: 10_001 }, (_, at) => filled([200 + (at % 50), 500], [1, 1], 0))),
    left: 0,
    right: 595,
  },
  'a cross beside another line': { paper: beside(crossed(28, 500)) },
  'the edge of a form': { paper: beside(stroke([28, 40], [28, 800])) },
  'a rule over the page': { paper: beside(stroke([28, 182], [560, 182])) },
  'an annotation far below': { paper: { drawn: FORM, notes: [stamp('Praxis', 20, 600)] } },
  'a cut of what is drawn': { paper: beside('q 28 661 14 14 re W n Q') },
};

const ALONE = 'nothing';

const TURNS = [0, 90, 180, 270];
const turnsOf = (paper: Paper): Paper[] => TURNS.map((rotate) => ({ ...paper, rotate }));

const read = new Map<string, PaperPage[]>();

beforeAll(async () => {
  const all = Object.entries({ ...TEXTS, ...MARKS }).map(([name, { drawn }]) => [name, { drawn }] as const);
  const besides = Object.entries({ ...BESIDE, [ALONE]: { paper: beside() } });
  const papers = [...all, ...besides.map(([name, { paper }]) => [name, paper] as const)];
  const { operators, pages } = await readPdfs<RawPage, Operators>(
    papers.map(([, paper]) => paperPdf(...turnsOf(paper))),
  );
  for (const [at, [name]] of papers.entries())
    read.set(name, await Promise.all((pages[at] ?? []).map((raw) => pageOf(1, raw, operators))));
}, 60_000);

const pagesOf = (name: string): PaperPage[] => read.get(name) ?? [];
/** The piece of the medicine, on each page. */
const piecesOf = (name: string): Crop[] =>
  pagesOf(name).flatMap((page) => {
    const line = page.lines.find(({ text }) => text === RAMIPRIL);
    return line ? [blockAround(page, line)] : [];
  });

describe('the lines of a page', () => {
  it.each(Object.keys(TEXTS))('%s', (name) => {
    const texts = pagesOf(name).map(({ lines }) => lines.map(({ text }) => text));
    expect(texts).toEqual(TURNS.map(() => TEXTS[name]?.lines));
  });
});

describe('the mark of a word lies where it is drawn, however the page is turned', () => {
  it.each(Object.keys(MARKS))('%s', (name) => {
    const { word, left, right, isUneven = false } = MARKS[name] as MarkCase;
    const far = isUneven ? 5 : 0.5;
    expect(pagesOf(name)).toHaveLength(TURNS.length);
    for (const { lines, rotation } of pagesOf(name)) {
      const [mark] = lines.flatMap((line) => placeOf(line, folded(word), true) ?? []);
      expect(Math.abs((mark?.left ?? 0) - left)).toBeLessThan(far);
      expect(Math.abs((mark?.right ?? 0) - right)).toBeLessThan(far);
      // The base line is 100 points below the edge.
      expect(mark?.top).toBeGreaterThan(85);
      expect(mark?.bottom).toBeLessThan(105);
      expect(rotation).toBe(0);
    }
  });
});

describe('the piece of a line reaches to what is drawn beside it, however the page is turned', () => {
  it.each(Object.keys(BESIDE))('%s', (name) => {
    const [alone] = piecesOf(ALONE);
    const pieces = piecesOf(name);
    expect(pieces).toHaveLength(TURNS.length);
    for (const { box } of pieces) {
      expect(box.left).toBeCloseTo(BESIDE[name]?.left ?? alone?.box.left ?? 0, 0);
      expect(box.right).toBeCloseTo(BESIDE[name]?.right ?? alone?.box.right ?? 0, 0);
    }
  });
});
