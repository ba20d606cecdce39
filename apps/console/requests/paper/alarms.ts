import { areaCrop, blockAround, type Crop, type Ink, type Place, wholePage } from './crops';
import type { DateFound } from './dates';
import {
  cropOfName,
  type Found,
  isOtherAmount,
  isOtherStrength,
  type PageLook,
  piecesOf,
  type WantedPaper,
} from './finding';
import { excerpt } from './folding';
import type { PaperPage } from './page-lines';
import { headOf, labelTwice, otherName } from './patient';

/** Where the paper contradicts the request, or cannot be compared with it. Pure. */

/** What the sentence of each kind is made from. */
export interface Said {
  missing: { name: string };
  strength: { name: string };
  amount: { name: string };
  ink: { of: Ink['of']; name: string };
  nameless: { name: string };
  birth: { on: string; instead: string };
  word: { text: string };
  picture: { document: number; pages: readonly number[] };
  issued: { on: string; ageDays: number };
  field: { name: string; text: string };
  apart: { name: string; customer: string };
  swapped: { customer: string };
  twice: { document: number; page: number };
  covered: { document: number; page: number };
}

export type AlarmOf<Kinds extends keyof Said> = {
  [Kind in Kinds]: { tone: 'red' | 'amber'; kind: Kind; said: Said[Kind]; crops: readonly Crop[] };
}[Kinds];
export type Alarm = AlarmOf<keyof Said>;

/** `ageOf` counts the days since an issue, below zero for one to come; `amberDays`: it is then doubtful. */
export interface IssueRule {
  ageOf: (day: string) => number;
  amberDays: number;
}

const MOST_CROPS = 3;

/** Where an alarm leads to, one after the other: its pieces, or the pages that cannot be read. */
export function placesOf({ kind, said, crops }: Alarm, looks: readonly PageLook[]): readonly Place[] {
  const pages = looks.map(({ page }) => page);
  if (kind !== 'picture') return crops.length > 0 ? crops : pages.slice(0, 1).map(wholePage);
  const { document, pages: numbers } = said;
  return pages.filter((page) => page.document === document && numbers.includes(page.number)).map(wholePage);
}

/** A finding of a piece that has no ink where its words are. */
export interface Inkless {
  of: Ink['of'];
  /** Of the ordered product, where it is a line. */
  name: string;
  crop: Crop;
}

/** Those of pieces that are no longer shown are left out. With each page that is read, a piece is found again. */
export function inkAlarms(all: readonly Inkless[], found: Found): Alarm[] {
  if (all.length === 0) return [];
  const pieces = new Map(piecesOf(found).map((crop) => [JSON.stringify(crop), crop]));
  const names = ['', ...found.products.map(({ name }) => name)];
  const findings = new Map<string, { one: Inkless; crops: Set<Crop> }>();
  for (const one of all) {
    const crop = pieces.get(JSON.stringify(one.crop));
    if (!crop || !names.includes(one.name)) continue;
    const key = `${one.of} ${one.name}`;
    findings.set(key, { one, crops: (findings.get(key)?.crops ?? new Set()).add(crop) });
  }
  return [...findings.values()].map(({ one: { of, name }, crops }) => {
    return { tone: 'red', kind: 'ink', said: { of, name }, crops: [...crops] };
  });
}

export function alarmsOf(found: Found, wanted: WantedPaper, rule: IssueRule): Alarm[] {
  const all = [
    ...productAlarms(found),
    ...nameAlarms(found, wanted),
    ...birthAlarms(found, wanted),
    ...wordAlarms(found),
    ...pictureAlarms(found),
    ...issueAlarms(found, rule),
    ...fieldAlarms(found, wanted),
    ...pageAlarms(found),
  ];
  const isRed = ({ tone }: Alarm): boolean => tone === 'red';
  return [...all.filter(isRed), ...all.filter((alarm) => !isRed(alarm))];
}

function productAlarms({ products, looks }: Found): Alarm[] {
  const hasText = looks.length > 0 && looks.every(({ page }) => !page.isPicture);
  return products.flatMap((product): Alarm[] => {
    const { name, places, instead } = product;
    if (places.length === 0) {
      const crops = instead.length > 0 ? instead : headsOf(looks);
      return hasText && name !== '' ? [{ tone: 'red', kind: 'missing', said: { name }, crops }] : [];
    }
    const crops = places.slice(0, MOST_CROPS).map(({ page, line, boxes }) => blockAround(page, line, boxes));
    return [
      ...(isOtherStrength(product)
        ? [{ tone: 'red', kind: 'strength', said: { name }, crops } as const]
        : []),
      ...(isOtherAmount(product) ? [{ tone: 'amber', kind: 'amount', said: { name }, crops } as const] : []),
    ];
  });
}

/** Where a picture may bear the name, only a field of the patient without it says that it is missing. */
function nameAlarms({ looks, name }: Found, { customer }: WantedPaper): Alarm[] {
  const texts = looks.filter(({ page }) => !page.isPicture);
  if (!name || customer === null || looks.some(({ names }) => names.length > 0))
    return swappedAlarms(looks, customer);
  const labelled = texts.filter((look) => look.forms.some(({ value }) => value.length > 0));
  if (texts.length === 0 || (texts.length < looks.length && labelled.length === 0)) return [];
  return [{ tone: 'red', kind: 'nameless', said: { name: customer }, crops: headsOf(texts) }];
}

function headsOf(looks: readonly PageLook[]): Crop[] {
  return looks.flatMap(({ forms }) => forms.flatMap((form) => headOf(form) ?? [])).slice(0, MOST_CROPS);
}

function swappedAlarms(looks: Found['looks'], customer: string | null): Alarm[] {
  const all = looks.flatMap(({ page, names }) => names.map((found) => ({ page, found })));
  const [first] = all;
  if (!first || customer === null || !all.every(({ found }) => found.isSwapped)) return [];
  return [
    { tone: 'amber', kind: 'swapped', said: { customer }, crops: [cropOfName(first.page, first.found)] },
  ];
}

function birthAlarms({ births }: Found, { born }: WantedPaper): Alarm[] {
  if (born === null || births.length === 0 || births.some(({ days }) => days.includes(born))) return [];
  const instead = [...new Set(births.map(({ written }) => written))].join(', ');
  return [
    {
      tone: 'red',
      kind: 'birth',
      said: { on: born, instead },
      crops: births.slice(0, MOST_CROPS).map(cropOfDate),
    },
  ];
}

function cropOfDate({ page, line, mark }: DateFound): Crop {
  return blockAround(page, line, [mark]);
}

function wordAlarms({ looks }: Found): Alarm[] {
  const all = looks.flatMap(({ page, words }) => words.map((word) => ({ page, ...word })));
  return (['red', 'amber'] as const).flatMap((tone): Alarm[] => {
    const of = all.filter((word) => word.tone === tone);
    if (of.length === 0) return [];
    const texts = [...new Set(of.map(({ text }) => text))].slice(0, MOST_CROPS);
    const crops = of.slice(0, MOST_CROPS).map(({ page, line }) => blockAround(page, line));
    return [{ tone, kind: 'word', said: { text: texts.join(', ') }, crops }];
  });
}

/** Text that lies under the picture says where to look. */
function pictureAlarms({ looks, products }: Found): Alarm[] {
  const pictures = looks.filter(({ page }) => page.isPicture);
  const documents = [...new Set(pictures.map(({ page }) => page.document))];
  return documents.map((document) => {
    const own = pictures.filter(({ page }) => page.document === document);
    const pages = own.map(({ page }) => page);
    const places = products.flatMap((product) => product.places.filter(({ page }) => pages.includes(page)));
    const crops = [
      ...headsOf(own),
      ...places.slice(0, MOST_CROPS).map(({ page, line, boxes }) => blockAround(page, line, boxes)),
    ];
    const said = { document, pages: pages.map(({ number }) => number) };
    return { tone: 'amber', kind: 'picture', said, crops };
  });
}

function issueAlarms({ issued }: Found, { ageOf, amberDays }: IssueRule): Alarm[] {
  const on = issued?.days[0];
  if (!issued || on === undefined) return [];
  const ageDays = ageOf(on);
  if (ageDays >= 0 && ageDays <= amberDays) return [];
  return [{ tone: 'amber', kind: 'issued', said: { on, ageDays }, crops: [cropOfDate(issued)] }];
}

/** Whose paper the line is on. */
function fieldAlarms({ products, name, looks }: Found, { customer }: WantedPaper): Alarm[] {
  if (!name || customer === null) return [];
  const named = new Set(looks.flatMap(({ page, names }) => (names.length > 0 ? [page] : [])));
  return products.flatMap(({ places, name: product }): Alarm[] => {
    const alarms: Alarm[] = [];
    const other = places
      .map(({ form }) => ({ form, text: otherName(form, name) }))
      .find(({ text }) => text !== null);
    if (other?.text) {
      const { page, label } = other.form;
      const crops = label ? [blockAround(page, label)] : [];
      alarms.push({
        tone: 'amber',
        kind: 'field',
        said: { name: product, text: excerpt(other.text) },
        crops,
      });
    }
    const isApart = named.size > 0 && places.length > 0 && !places.some(({ page }) => named.has(page));
    if (isApart) {
      const crops = looks.flatMap(({ page, names: [first] }) => (first ? [cropOfName(page, first)] : []));
      const said = { name: product, customer };
      alarms.push({ tone: 'amber', kind: 'apart', said, crops: crops.slice(0, MOST_CROPS) });
    }
    return alarms;
  });
}

function pageAlarms({ looks }: Found): Alarm[] {
  return looks.flatMap(({ page, forms }): Alarm[] => {
    const label = labelTwice(forms);
    const covered = coveredOn(page);
    const said = { document: page.document, page: page.number };
    return [
      ...(label ? [{ tone: 'amber', kind: 'twice', said, crops: [blockAround(page, label)] } as const] : []),
      ...(covered.length > 0 ? [{ tone: 'amber', kind: 'covered', said, crops: covered } as const] : []),
    ];
  });
}

/** Annotations that lie over text; one that is thin strikes out where it is not below the letters. */
function coveredOn(page: PaperPage): Crop[] {
  const over = page.covers.filter((cover) =>
    page.lines.some(({ box, origin }) => {
      if (origin === 'note' || cover.left >= box.right || cover.right <= box.left) return false;
      const height = box.bottom - box.top;
      const shared = Math.min(cover.bottom, box.bottom) - Math.max(cover.top, box.top);
      const isThin = cover.bottom - cover.top <= height / 4;
      const middle = (cover.top + cover.bottom) / 2;
      return shared > height / 4 || (isThin && middle > box.top && middle < box.bottom - height / 4);
    }),
  );
  return over.slice(0, MOST_CROPS).map((cover) => areaCrop(page, cover));
}
