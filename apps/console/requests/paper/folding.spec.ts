import { cleaned, findWord, folded, isSameWord, lettersBefore, wordsOf } from './folding';

/** How texts are compared: a word that is not found raises an alarm, and a wrong one hides it. */

const textOf = (text: string) => ({ text: cleaned(text), forms: folded(cleaned(text)) });

it.each([
  ['Ber\u200bger, An\u00adna', 'Berger, Anna'],
  ['Berger,\u00a0Anna', 'Berger, Anna'],
  ['Mu\u0308ller', 'Müller'],
  ['R a m i p r i l 5 mg', 'Ramipril 5 mg'],
  ['N I C H T  V E R O R D N E T', 'NICHT VERORDNET'],
  ['1 - 0 - 1', '1 - 0 - 1'],
  ['A B C', 'A B C'],
])('"%s" is read as "%s"', (text, expected) => {
  expect(cleaned(text)).toBe(expected);
});

it.each([
  ['Müller', 'Mueller'],
  ['MÜLLER', 'muller'],
  ['Groß', 'GROSS'],
  ['Çelik', 'celik'],
  ['Gemﬁbrozil', 'Gemfibrozil'],
  ['Núñez', 'Nunez'],
])('%s and %s are one word', (one, other) => {
  expect(isSameWord(one, other)).toBe(true);
});

it.each([
  ['Bauer', 'Baur'],
  ['Goethe', 'Gothe'],
  ['Berger', 'Bergere'],
  ['Muller', 'Mueller'],
])('%s and %s are two words', (one, other) => {
  expect(isSameWord(one, other)).toBe(false);
});

it.each([
  ['Müller-Lüdenscheidt, Anna', ['Müller', 'Lüdenscheidt', 'Anna']],
  ['Amoxicillin/Clavulansäure 875/125 mg', ['Amoxicillin', 'Clavulansäure', '875', '125', 'mg']],
  ["O'Neill", ['O', 'Neill']],
  ['  ', []],
])('the words of "%s" are %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

describe('a word in a text', () => {
  it.each([
    ['Ramipril 5 mg', 'Ramipril', 'Ramipril'],
    ['2xRamipril 5 mg', 'Ramipril', 'Ramipril'],
    ['Maxiramipril', 'Ramipril', undefined],
    ['Rp. RAMIPRIL-ratiopharm', 'ramipril', 'RAMIPRIL-ratiopharm'],
    ['Amlodipinbesilat 5 mg', 'Amlodipin', 'Amlodipinbesilat'],
    ['Metoprolol succinat', 'Metoprololsuccinat', 'Metoprolol'],
    ['Metformin 500 mg', 'Metoprololsuccinat', undefined],
    ['Großmann-Müller, Jonas', 'Jonas', 'Jonas'],
    ['Frau Müller und Herr Wölf, Groß-Gerau', 'Gerau', 'Gerau'],
  ])('in "%s", "%s" is %j', (text, word, expected) => {
    const inText = textOf(text);
    const place = findWord(inText, folded(word));
    expect(place ? inText.text.slice(place.from, place.to) : undefined).toBe(expected);
  });

  it.each([
    ['Bergermann, Anna', 'Berger', undefined],
    ['Berger-Vogel, Anna', 'Berger', 'Berger-Vogel'],
    ['Mueller, Anna', 'Müller', 'Mueller'],
    ['Annalena', 'Anna', undefined],
    ['Leutheusser-Schnarrenberger', 'Schnarrenberger', 'Schnarrenberger'],
  ])('as a whole, in "%s", "%s" is %j', (text, word, expected) => {
    const inText = textOf(text);
    const place = findWord(inText, folded(word), true);
    expect(place ? inText.text.slice(place.from, place.to) : undefined).toBe(expected);
  });
});

it.each([
  ['Ramipril 5', '  Ramipril  5 '],
  ['Ramipril 5 mg', 'R a m i p r i l 5 mg'],
  ['Berger', 'Ber\u200bger'],
  ['Müller, Ü', 'Mu\u0308ller, U\u0308'],
])('each letter of "%s" is found again in "%s"', (text, before) => {
  const letters = lettersBefore(text, before).map((at) => before.charAt(at).normalize('NFD').charAt(0));
  expect(letters).toEqual(text.split('').map((letter) => letter.normalize('NFD').charAt(0)));
});
