import { FALSE_PAPERS } from '@offizin/testkit/false-papers';
import type { PaperCase } from '@offizin/testkit/paper-cases';
import { paperPdf } from '@offizin/testkit/papers';
import { readPdfs } from '@offizin/testkit/read-pdfs';
import { RIGHT_PAPERS } from '@offizin/testkit/right-papers';
import { type Alarm, alarmsOf, placesOf } from './alarms';
import { partsOf, type Place } from './crops';
import { foundIn, lookAt, type PaperForm, piecesOf } from './finding';
import { issueRule, kindIn } from './issue-rule';
import { type Operators, pageOf, type RawPage } from './read-page';

/**
 * The rules over false and right prescriptions, read by the library that the console reads them with. What only the
 * pixels show is asserted by the story of every paper.
 */

const NOW_MS = Date.now();
const all = { ...FALSE_PAPERS, ...RIGHT_PAPERS };
interface Outcome {
  alarms: (Alarm & { places: readonly Place[] })[];
  forms: readonly PaperForm[];
  shown: string[];
}
const outcomes = new Map<string, Outcome>();
const outcomeOf = (name: string): Outcome => outcomes.get(name) ?? { alarms: [], forms: [], shown: [] };

beforeAll(async () => {
  const names = Object.keys(all);
  const pdfs = names.map((name) => paperPdf(...(all[name]?.papers ?? [])));
  const { operators, pages } = await readPdfs<RawPage, Operators>(pdfs);
  for (const [at, name] of names.entries()) {
    const {
      customer = 'Anna Berger',
      born = null,
      ordered = [['Ramipril 5 mg Tabletten', 1]],
    } = all[name] as PaperCase;
    const lines = ordered.map(([product, quantity]) => ({ names: [product], quantity }));
    const wanted = { customer, born, lines };
    const read = await Promise.all((pages[at] ?? []).map((raw) => pageOf(1, raw, operators)));
    const found = foundIn(await Promise.all(read.map((page) => lookAt(page, wanted))), wanted);
    const text = read.flatMap((page) => page.lines.map((line) => line.text)).join('\n');
    const alarms = alarmsOf(found, wanted, issueRule(kindIn(text), NOW_MS, 28));
    const crops = [...piecesOf(found), ...alarms.flatMap((alarm) => alarm.crops)];
    const withPlaces = alarms.map((alarm) => ({ ...alarm, places: placesOf(alarm, found.looks) }));
    outcomes.set(name, {
      alarms: withPlaces,
      forms: found.forms,
      shown: crops.map(({ text: said }) => said),
    });
  }
}, 60_000);

describe('a false paper', () => {
  const read = Object.keys(FALSE_PAPERS).filter((name) => FALSE_PAPERS[name]?.alarm !== 'ink');

  it.each(read)('%s: an alarm names it, or a piece of the paper shows it', (name) => {
    const { alarm, shows } = FALSE_PAPERS[name] as PaperCase;
    const { alarms, shown } = outcomeOf(name);
    if (alarm !== undefined) expect(alarms.map(({ kind }) => kind)).toContain(alarm);
    else expect(shown.join('\n')).toContain(shows);
  });
});

describe('an alarm', () => {
  const alarms = () =>
    Object.keys(all).flatMap((name) => outcomeOf(name).alarms.map((alarm) => ({ name, alarm })));

  it('leads to a place in the document, and stands with its piece where the page has text', () => {
    const without = alarms().filter(({ alarm }) => alarm.places.length === 0 || alarm.crops.length === 0);
    expect(without.map(({ name, alarm: { kind, places } }) => [name, kind, places.length > 0])).toEqual([
      ['a scan', 'picture', true],
      ['a second page that is a scan', 'picture', true],
      ['with a scan of an annex', 'picture', true],
    ]);
  });

  it('of a page that is a picture leads to that page, and shows the text that lies under it', () => {
    const [hidden] = outcomeOf('a scan behind invisible words').alarms.filter(
      ({ kind }) => kind === 'picture',
    );
    expect(hidden?.crops.map(({ text }) => text).join('\n')).toMatch(/Anna Berger.*Ramipril 5 mg/s);
    const [second] = outcomeOf('a second page that is a scan').alarms;
    expect(second?.places).toMatchObject([{ document: 1, page: 2, box: { left: 0, top: 0 } }]);
  });
});

describe('a right paper', () => {
  it.each(Object.keys(RIGHT_PAPERS))('%s: it has its own alarms only, and the medicine is shown', (name) => {
    const { red, amber = {} } = RIGHT_PAPERS[name] as PaperCase;
    const { alarms, forms } = outcomeOf(name);
    const own = [...(red ? [`red ${red}`] : []), ...Object.keys(amber).map((kind) => `amber ${kind}`)];
    expect(alarms.map(({ tone, kind }) => `${tone} ${kind}`)).toEqual(own);
    expect(forms.some(({ blocks }) => blocks.length > 0) || red !== undefined).toBe(true);
  });
});

describe('the kind of a paper', () => {
  it.each([
    ['Betäubungsmittelrezept\nfür Anna Berger', 'narcotic'],
    ['Praxis Dr. Weber\nPrivatrezept\nBtM-Rezepte gelten sieben Tage nach dem Ausstellen.', 'private'],
    ['Privatrezept\nCannabisblüten (kein BtM)', 'private'],
    ['Privat-Rezept\fBetäubungsmittelrezept', 'private'],
    ['Betäubungsmittelrezept, privat\nPrivatrezept', 'narcotic'],
    ['Ausdruck zur Einlösung Ihres E-Rezeptes\nEin Privatrezept bezahlen Sie selbst.', 'electronic'],
    ['Wir bitten Sie, dieses Privatrezept bald einzulösen.', 'private'],
    ['Entlassbrief\nohne Betäubungsmittel', null],
    ['Rezept', null],
  ])('%j is %s', (text, kind) => {
    expect(kindIn(text)).toBe(kind);
  });
});

describe('a piece of 600 points', () => {
  const box = { left: 0, top: 0, right: 600, bottom: 100 };

  it.each<[string, number, [number, number][], [number, number][]]>([
    ['is whole where it fits', 600, [[290, 310]], [[0, 600]]],
    ['is whole where its pane is not measured', Infinity, [[290, 310]], [[0, 600]]],
    [
      'is cut between its columns',
      400,
      [
        [190, 210],
        [300, 320],
        [380, 400],
      ],
      [
        [0, 310],
        [310, 600],
      ],
    ],
    [
      'is cut where nothing is',
      400,
      [[230, 560]],
      [
        [0, 360],
        [360, 600],
      ],
    ],
    [
      'shows some words twice without columns',
      400,
      [],
      [
        [0, 360],
        [288, 600],
      ],
    ],
    [
      'is cut more than once',
      250,
      [],
      [
        [0, 240],
        [192, 432],
        [384, 600],
      ],
    ],
    [
      'is not cut at its edges',
      400,
      [
        [10, 30],
        [570, 590],
      ],
      [
        [0, 360],
        [288, 600],
      ],
    ],
  ])('%s', (_, most, empty, parts) => {
    const gaps = empty.map(([left, right]) => ({ left, right }));
    expect(partsOf({ box, gaps }, most).map(({ left, right }) => [left, right])).toEqual(parts);
  });
});
