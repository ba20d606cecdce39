import { requests as englishRequests } from '../../text/requests.en';
import { requests as germanRequests } from '../../text/requests.de';
import { formatsFor } from '../../text/formats';
import { paper as germanPaper } from '../paper/paper.de';
import { paper as englishPaper } from '../paper/paper.en';
import { acknowledgedOf, acknowledgedText, type Concern, concernsOf } from './concerns';
import { hints as german } from './hints.de';
import { hints as english } from './hints.en';
import type { Hint } from './hints';

/** A decision keeps what it has passed over as codes, and each person reads their sentences. */

const edit = {
  staleEdits: (made: number, present: number) => `made on ${made}, now ${present}`,
  editsBeforeFirst: 'older than the first approval',
};
const ofGermany = {
  requests: germanRequests,
  hints: german,
  edit,
  formats: formatsFor('de', 'Europe/Berlin'),
  alarm: germanPaper.alarm,
};
const ofEngland = {
  requests: englishRequests,
  hints: english,
  edit,
  formats: formatsFor('en', 'Europe/Berlin'),
  alarm: englishPaper.alarm,
};
type Language = typeof ofGermany | typeof ofEngland;

const HINTS: Hint[] = [
  { kind: 'issued', tone: 'red', on: '2026-08-01', ageDays: 110 },
  { kind: 'used', tone: 'red', times: 2 },
  { kind: 'reference', tone: 'red', of: null, isId: false },
  { kind: 'reference', tone: 'red', of: 'Telemed', isId: true },
  { kind: 'signature', tone: 'red', signature: 'altered' },
  { kind: 'document', tone: 'red', why: 'missing' },
  { kind: 'document', tone: 'red', why: 'locked', of: { number: 2, name: 'Rezept.pdf' } },
];

const alarmsIn = ({ alarm, formats: { date } }: Language) => {
  const way = { date, names: null };
  const [missing, birth] = [{ name: 'Bediol' }, { on: '1980-01-02', instead: '02.01.1981' }];
  const ink = { of: 'line', name: 'Bediol' } as const;
  return [
    { tone: 'red', kind: 'missing', said: missing, text: alarm.missing(missing, way) },
    { tone: 'red', kind: 'strength', said: missing, text: alarm.strength(missing, way) },
    { tone: 'red', kind: 'ink', said: ink, text: alarm.ink(ink, way) },
    { tone: 'red', kind: 'nameless', said: missing, text: alarm.nameless(missing, way) },
    { tone: 'red', kind: 'birth', said: birth, text: alarm.birth(birth, way) },
    { tone: 'red', kind: 'word', said: { text: 'Storno' }, text: alarm.word({ text: 'Storno' }, way) },
  ] as const;
};

function concernsIn(language: Language): Concern[] {
  const alarms = alarmsIn(language);
  return concernsOf(
    { alarms, hints: HINTS, stale: [2, 3], open: ['signature_seen', 'dose_plausible'] },
    language,
  );
}

const textsOf = (concerns: readonly Concern[]) => concerns.map(({ text }) => text);
const readIn = (language: Language, kept: readonly string[]) =>
  kept.map((one) => acknowledgedText(one, language));

it('reads in each language as it was shown there, from the codes of either', () => {
  const kept = acknowledgedOf(concernsIn(ofGermany));
  expect(acknowledgedOf(concernsIn(ofEngland))).toEqual(kept);
  expect(readIn(ofGermany, kept)).toEqual(textsOf(concernsIn(ofGermany)));
  expect(readIn(ofEngland, kept)).toEqual(textsOf(concernsIn(ofEngland)));
  expect(readIn(ofGermany, kept)).toContain('Schon 2-mal eingereicht');
  expect(readIn(ofEngland, kept)).toContain('Submitted 2 times before');
});

it('keeps no sentence', () => {
  const kept = acknowledgedOf(concernsIn(ofGermany));
  expect(kept[0]).toBe('["paper","missing",{"name":"Bediol"}]');
  expect(kept.at(-1)).toBe('["mark","dose_plausible"]');
  for (const text of [...textsOf(concernsIn(ofGermany)), ...textsOf(concernsIn(ofEngland))])
    expect(kept.join()).not.toContain(text);
});

it('leaves out what is not red, and is empty without concerns', () => {
  const alarms = [{ tone: 'amber', kind: 'word', said: { text: 'Kopie' }, text: 'Kopie' }] as const;
  const hints: Hint[] = [{ kind: 'used', tone: 'quiet', times: 0 }];
  expect(concernsOf({ alarms, hints, stale: null, open: [] }, ofGermany)).toEqual([]);
  expect(acknowledgedOf([])).toEqual([]);
});

describe('what the decision has room for', () => {
  const missing = (name: string): Concern => ({ code: ['paper', 'missing', { name }], text: '' });
  const readGerman = (concern: Concern) => readIn(ofGermany, acknowledgedOf([concern]))[0];

  it('is 100 letters: a longer name loses whole words of its middle', () => {
    const long =
      'Cannabisblüten Pedanios 22/1 GHS Ghost Train Haze, 10 g in der Dose mit Kindersicherung 5 mg';
    const [kept = ''] = acknowledgedOf([missing(long)]);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(readGerman(missing(long))).toBe(
      'Cannabisblüten Pedanios 22/1 GHS … der Dose mit Kindersicherung 5 mg: steht nicht auf dem Rezept',
    );
  });

  it.each(['x'.repeat(200), '"'.repeat(200), '\u0001'.repeat(200), '\u{1f48a}'.repeat(100)])(
    'is never exceeded, so that the server takes the approval: %j',
    (name) => {
      const birth: Concern = { code: ['paper', 'birth', { on: name, instead: name }], text: '' };
      for (const kept of acknowledgedOf([missing(name), birth])) expect(kept.length).toBeLessThanOrEqual(100);
    },
  );

  it('is 20 places, of which the last one has the number of the others', () => {
    const concerns = Array.from({ length: 60 }, (_, at) => missing(`Salbe ${at}`));
    const kept = acknowledgedOf(concerns);
    expect(kept).toHaveLength(20);
    expect(readIn(ofGermany, kept).slice(-2)).toEqual([
      'Salbe 18: steht nicht auf dem Rezept',
      '41 weitere Hinweise',
    ]);
    expect(acknowledgedOf(concerns.slice(0, 20))).toHaveLength(20);
    expect(readIn(ofEngland, acknowledgedOf(concerns.slice(0, 20))).at(-1)).toContain('Salbe 19');
  });
});

it.each([
  'age',
  'Telefonisch geklärt',
  '',
  'null',
  '5',
  '[]',
  '["paper"]',
  '["hint","issued",{}]',
  '["x",1]',
])('leaves a text that is not a code as it is: %s', (kept) => {
  expect(acknowledgedText(kept, ofGermany)).toBe(kept);
});
