import { FALSE_PAPERS } from '@offizin/testkit/false-papers';
import type { PaperCase } from '@offizin/testkit/paper-cases';
import { paperPdf } from '@offizin/testkit/papers';
import { readPdfs } from '@offizin/testkit/read-pdfs';
import { RIGHT_PAPERS } from '@offizin/testkit/right-papers';
import { type Alarm, alarmsOf } from './alarms';
import { foundIn, lookAt, type PaperForm } from './finding';
import { issueRule, kindIn } from './issue-rule';
import { type Operators, pageOf, type RawPage } from './read-page';

/** False and right prescriptions, read by the library that the console reads them with. */

const NOW_MS = Date.parse('2026-11-25T12:00:00Z');
const all = { ...FALSE_PAPERS, ...RIGHT_PAPERS };
const outcomes = new Map<string, { alarms: Alarm[]; forms: readonly PaperForm[]; shown: string[] }>();

beforeAll(async () => {
  const names = Object.keys(all);
  const pdfs = names.map((name) => paperPdf(...(all[name]?.papers ?? [])));
  const { operators, pages } = await readPdfs<RawPage, Operators>(pdfs);
  names.forEach((name, at) => {
    const {
      customer = 'Anna Berger',
      born = null,
      ordered = [['Ramipril 5 mg Tabletten', 1]],
    } = all[name] as PaperCase;
    const lines = ordered.map(([product, quantity]) => ({ names: [product], quantity }));
    const wanted = { customer, born, lines };
    const read = (pages[at] ?? []).map((raw) => pageOf(1, raw, operators));
    const found = foundIn(
      read.map((page) => lookAt(page, wanted)),
      wanted,
    );
    const text = read.flatMap((page) => page.lines.map((line) => line.text)).join('\n');
    const alarms = alarmsOf(found, wanted, issueRule(kindIn(text), NOW_MS, 28));
    const crops = [
      ...found.forms.flatMap(({ head, blocks, foot }) => [
        head,
        ...blocks.flatMap((block) => block.crops),
        foot,
      ]),
      ...found.products.flatMap(({ instead }) => instead),
      ...alarms.flatMap((alarm) => alarm.crops),
    ];
    outcomes.set(name, { alarms, forms: found.forms, shown: crops.flatMap((crop) => crop?.text ?? []) });
  });
}, 60_000);

describe('a false paper', () => {
  it.each(Object.keys(FALSE_PAPERS))('%s: an alarm names it, or a piece of the paper shows it', (name) => {
    const { alarm, shows } = FALSE_PAPERS[name] as PaperCase;
    const { alarms, shown } = outcomes.get(name) ?? { alarms: [], shown: [] };
    if (alarm !== undefined) expect(alarms.map(({ kind }) => kind)).toContain(alarm);
    else expect(shown.join('\n')).toContain(shows);
  });
});

describe('a right paper', () => {
  it.each(Object.keys(RIGHT_PAPERS))('%s: nothing is red, and the medicine is shown', (name) => {
    const { red } = RIGHT_PAPERS[name] as PaperCase;
    const { alarms, forms } = outcomes.get(name) ?? { alarms: [], forms: [] };
    expect(alarms.filter(({ tone }) => tone === 'red').map(({ kind }) => kind)).toEqual(red ? [red] : []);
    expect(forms.some(({ blocks }) => blocks.length > 0) || red !== undefined).toBe(true);
  });
});
