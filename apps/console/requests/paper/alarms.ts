import { areaCrop, blockAround, type Crop } from './crops';
import type { DateFound } from './dates';
import { cropOfName, type Found, isOtherAmount, isOtherStrength, type WantedPaper } from './finding';
import { excerpt } from './folding';
import type { Line, PaperPage } from './page-lines';
import { headOf, labelTwice, otherName } from './patient';

/** Where the paper contradicts the request, or cannot be compared with it. Pure. */

export type Alarm =
  | AlarmOf<'red', 'missing' | 'strength' | 'ink', { name: string }>
  | AlarmOf<'red', 'nameless', { name: string }>
  | AlarmOf<'red', 'birth', { on: string; instead: string }>
  | AlarmOf<'red' | 'amber', 'word', { text: string }>
  | AlarmOf<'amber', 'picture', { document: number; pages: readonly number[] }>
  | AlarmOf<'amber', 'amount', { name: string }>
  | AlarmOf<'amber', 'issued', { on: string; ageDays: number }>
  | AlarmOf<'amber', 'field', { name: string; text: string }>
  | AlarmOf<'amber', 'apart', { name: string; customer: string }>
  | AlarmOf<'amber', 'swapped', { customer: string }>
  | AlarmOf<'amber', 'twice' | 'covered', { page: number }>;

type AlarmOf<Tone, Kind, Said> = Kind extends string
  ? { tone: Tone; kind: Kind; said: Said; crops: readonly Crop[] }
  : never;

/** `ageOf` counts the days since an issue, below zero for one to come; `amberDays`: it is then doubtful. */
export interface IssueRule {
  ageOf: (day: string) => number;
  amberDays: number;
}

const MOST_CROPS = 3;

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
    if (places.length === 0)
      return hasText && name !== '' ? [{ tone: 'red', kind: 'missing', said: { name }, crops: instead }] : [];
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
  const heads = texts.flatMap((look) => look.forms.flatMap((form) => headOf(form, []) ?? []));
  return [{ tone: 'red', kind: 'nameless', said: { name: customer }, crops: heads.slice(0, MOST_CROPS) }];
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

function cropOfDate({ page, line }: DateFound): Crop {
  return blockAround(page, line, [line.box]);
}

function wordAlarms({ looks }: Found): Alarm[] {
  const all = looks.flatMap(({ page, words }) => words.map((word) => ({ page, ...word })));
  return (['red', 'amber'] as const).flatMap((tone): Alarm[] => {
    const of = all.filter((word) => word.tone === tone);
    if (of.length === 0) return [];
    const texts = [...new Set(of.map(({ text }) => text))].slice(0, MOST_CROPS);
    const crops = of.slice(0, MOST_CROPS).map(({ page, line }) => cropOfLine(page, line));
    return [{ tone, kind: 'word', said: { text: texts.join(', ') }, crops }];
  });
}

function cropOfLine(page: PaperPage, line: Line): Crop {
  return line.isTurned || line.origin === 'note'
    ? { ...areaCrop(page, line.box), origin: line.origin, text: line.text }
    : blockAround(page, line, [line.box]);
}

function pictureAlarms({ looks }: Found): Alarm[] {
  const documents = [...new Set(looks.map(({ page }) => page.document))];
  return documents.flatMap((document): Alarm[] => {
    const pages = looks.flatMap(({ page }) =>
      page.document === document && page.isPicture ? [page.number] : [],
    );
    return pages.length === 0
      ? []
      : [{ tone: 'amber', kind: 'picture', said: { document, pages }, crops: [] }];
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
      const crops = label ? [blockAround(page, label, [label.box])] : [];
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
    const said = { page: page.number };
    return [
      ...(label
        ? [{ tone: 'amber', kind: 'twice', said, crops: [blockAround(page, label, [label.box])] } as const]
        : []),
      ...(covered.length > 0 ? [{ tone: 'amber', kind: 'covered', said, crops: covered } as const] : []),
    ];
  });
}

/** Annotations that lie over text. */
function coveredOn(page: PaperPage): Crop[] {
  const over = page.covers.filter((cover) =>
    page.lines.some(
      ({ box, origin }) =>
        origin !== 'note' &&
        cover.left < box.right &&
        cover.right > box.left &&
        Math.min(cover.bottom, box.bottom) - Math.max(cover.top, box.top) > (box.bottom - box.top) / 4,
    ),
  );
  return over.slice(0, MOST_CROPS).map((cover) => areaCrop(page, cover));
}
