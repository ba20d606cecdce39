import { drawnPlaces } from './right-to-left';

/** Each capital becomes a Hebrew letter. */
const hebrew = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(0x05d0 + letter.charCodeAt(0) - 65));

/** The letters as they are drawn, from left to right. */
function drawn(text: string, isRightToLeft: boolean): string {
  const places = drawnPlaces(hebrew(text), isRightToLeft);
  return places.map((_, place) => text.charAt(places.indexOf(place))).join('');
}

it.each([
  ['COHEN', 'NEHOC'],
  ['DAVID COHEN', 'NEHOC DIVAD'],
  ['COHEN, DAVID', 'DIVAD ,NEHOC'],
  ['COHEN 1984', '1984 NEHOC'],
  ['COHEN 14.03.1984', '14.03.1984 NEHOC'],
  ['RAMIPRIL 2,5 mg', 'mg 2,5 LIRPIMAR'],
  ['ramipril 5 mg DAVID', 'DIVAD ramipril 5 mg'],
])('"%s" as a line from right to left is drawn as "%s"', (text, expected) => {
  expect(drawn(text, true)).toBe(expected);
});

it.each([
  ['patient: COHEN', 'patient: NEHOC'],
  ['patient: DAVID COHEN, geb.', 'patient: NEHOC DIVAD, geb.'],
  ['COHEN (anna)', 'NEHOC (anna)'],
  ['geb. DAVID 14.03.1984 COHEN', 'geb. NEHOC 14.03.1984 DIVAD'],
  ['berger, anna', 'berger, anna'],
])('"%s" as a line from left to right is drawn as "%s"', (text, expected) => {
  expect(drawn(text, false)).toBe(expected);
});

it.each(['دواء 5 mg', 'ד\u05b8ו\u05b4ד', 'Müller-Lüdenscheidt, 🌿'])(
  'gives each letter of "%s" one place',
  (text) => {
    for (const isRightToLeft of [false, true]) {
      const places = drawnPlaces(text, isRightToLeft);
      expect(places.toSorted((one, other) => one - other)).toEqual(places.map((_, at) => at));
    }
  },
);
