import { findingsIn } from './findings';

const PAPER = `PRIVATREZEPT Nr. 10403330
Name, Vorname des Versicherten geb. am Ausgestellt am
Wölf-Großmann, Jonas 03.02.1952 12.11.2026
Torstraße 60 10115 Berlin
Rp. Cannabisblüten Demo 18/1 15 g
0,1 g Einzeldosis, max. 4 x täglich verdampfen
Dr. med. Sabine Weber Tel. 081 7076173`;

const wanted = (customerName: string | null, name = 'Cannabisblüten Demo 18/1', quantity = 15) => ({
  customerName,
  lines: [{ name, quantity }],
});

it.each(['Jonas Wölf-Großmann', 'Dr. Jonas Woelf-Grossmann', 'WÖLF-GROẞMANN, JONAS', 'Jonas Wölf-Großmann'])(
  'finds the name %s',
  (name) => {
    expect(findingsIn(PAPER, wanted(name)).hasName).toBe(true);
  },
);

it.each(['Emilia Klein', 'Jonas Klein', 'Jonas', 'Jon Wölf-Großmann', '', null])(
  'tells %p from another name, or finds a part only',
  (name) => {
    expect(findingsIn(PAPER, wanted(name)).hasName).toBe(name === 'Jonas');
  },
);

it('takes the date of issue, not the birthday, whichever stands first', () => {
  expect(findingsIn(PAPER, wanted(null)).issuedOn).toBe('2026-11-12');
  expect(findingsIn('12.11.2026 … geb. 03.02.1952', wanted(null)).issuedOn).toBe('2026-11-12');
  expect(findingsIn('31.02.2026', wanted(null)).issuedOn).toBeNull();
});

it('finds medicine and amount, and says when the amount is another one', () => {
  expect(findingsIn(PAPER, wanted(null))).toMatchObject({ linesFound: [0], amountsMissing: [] });
  expect(findingsIn(PAPER, wanted(null, undefined, 20)).amountsMissing).toEqual([0]);
  expect(findingsIn(PAPER, wanted(null, undefined, 5)).amountsMissing).toEqual([0]);
  expect(findingsIn(PAPER, wanted(null, 'Lavendelblüten Tee 50 g')).linesFound).toEqual([]);
});

it('knows a scan by its missing text, and reads the telephone number', () => {
  expect(findingsIn(' ', wanted('Jonas Wolf')).isScan).toBe(true);
  expect(findingsIn(PAPER, wanted(null)).phone).toBe('081 7076173');
});
