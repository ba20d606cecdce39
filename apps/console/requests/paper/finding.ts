import { areaCrop, blockAround, type Crop, headingOf, type Ink } from './crops';
import { birthdaysOn, type DateFound, issuesOn } from './dates';
import { folded, wordsOf } from './folding';
import { aroundAll, type Box, type Line, type Mark, type PaperPage, placeOf } from './page-lines';
import { type Form, footOf, formsOn, headOf, type Name, type NameFound, nameOf, namesOn } from './patient';
import { differs, type Quantity, saysOtherAmount, strengthOfName, strengthsIn } from './quantities';
import { NO_REST } from './turns';
import { isStamp, voidWordsOn, type VoidWord } from './void-words';

/** Where the paper speaks of a request, and the few alarms. It is shown; the pharmacist judges. Pure. */

export interface WantedPaper {
  customer: string | null;
  /** YYYY-MM-DD, as the partner sent it. */
  born: string | null;
  lines: readonly WantedLine[];
}

export interface WantedLine {
  /** All names of the product. */
  names: readonly string[];
  quantity: number;
}

/** What one page has of what is wanted. */
export interface PageLook {
  page: PaperPage;
  /** Of each wanted line: places with most of the words of one of its names. */
  products: readonly ProductFound[];
  names: readonly NameFound[];
  forms: readonly Form[];
  births: readonly DateFound[];
  /** By the kind of the label. */
  issues: readonly (readonly DateFound[])[];
  words: readonly VoidWord[];
  /** Lines that are drawn as stamps, and have no such word. */
  stamps: readonly Line[];
  /** That carry a strength, whatever it is of. */
  medicines: readonly Line[];
}

interface ProductFound {
  /** How many of the name's words stand together. */
  count: number;
  /** The name has more. */
  isPart: boolean;
  hits: readonly Hit[];
}

export interface Hit {
  line: Line;
  boxes: readonly Mark[];
}

/** `rest` is asked between the parts: a page may have thousands of lines. */
export async function lookAt(
  page: PaperPage,
  { customer, lines }: WantedPaper,
  rest = NO_REST,
): Promise<PageLook> {
  const name = nameOf(customer);
  const products: ProductFound[] = [];
  for (const line of lines) {
    products.push(productOn(page, line));
    await rest();
  }
  const names = name ? namesOn(page, name) : [];
  await rest();
  const forms = formsOn(page, names);
  await rest();
  const births = birthdaysOn(page);
  await rest();
  const issues = issuesOn(page);
  await rest();
  const productsOf = (line: Line): readonly string[] =>
    lines.flatMap((wanted, at) =>
      products[at]?.hits.some((hit) => hit.line === line) === true ? wanted.names : [],
    );
  const words = voidWordsOn(page, { customer: name, names, productsOf });
  await rest();
  const stamps = stampsOn(page, words);
  await rest();
  const medicines = medicinesOn(page);
  return { page, products, names, forms, births, issues, words, stamps, medicines };
}

const FORM_WORDS =
  /^(?:(?:film|brause|schmelz|retard|kau|lutsch|hart|weich|manteltabl|magensaft)*(?:tablet|kapsel|capsul|drag)\p{L}*|retard|beutel|ampull\p{L}*|zapfchen|suppositori\p{L}*|pflaster|losung|solution|\p{L}*tropfen|drops|\p{L}*spray|saft|sirup|suspension|salbe|creme|cream|ointment|pulver|granulat|extrakt|stuck|stueck|packung|flasche|tube|prozent|einheiten|gramm|milligramm|mikrogramm)$/u;

/** Every word of four letters that is neither form nor unit; a name without one is its words. */
function nameWords(name: string): (readonly string[])[] {
  const words = wordsOf(name).filter((word) => !/^\d/.test(word));
  const telling = words.filter(
    (word) => word.length >= 4 && !folded(word).some((form) => FORM_WORDS.test(form)),
  );
  const usable =
    [telling, words.filter((word) => word.length > 2), words].find((list) => list.length > 0) ?? [];
  return usable.map(folded);
}

function productOn(page: PaperPage, { names }: WantedLine): ProductFound {
  const ofNames = names.map((name) => {
    const words = nameWords(name);
    let count = 1;
    let hits: Hit[] = [];
    for (const line of page.lines) {
      const boxes = words.flatMap((word) => placeOf(line, word) ?? []);
      if (boxes.length < count) continue;
      if (boxes.length > count) hits = [];
      count = boxes.length;
      hits.push({ line, boxes });
    }
    return { count: hits.length > 0 ? count : 0, isPart: count < words.length, hits };
  });
  const whole = ofNames.filter(({ hits, isPart }) => hits.length > 0 && !isPart);
  const found = whole.length > 0 ? whole : ofNames;
  const hits = found.flatMap((one) => one.hits);
  const once = hits.filter(({ line }, at) => hits.findIndex((hit) => hit.line === line) === at);
  return {
    count: Math.max(0, ...found.map(({ count }) => count)),
    isPart: whole.length === 0,
    hits: once,
  };
}

function stampsOn(page: PaperPage, words: readonly VoidWord[]): Line[] {
  const isOwn = (line: Line): boolean => words.every((word) => word.line !== line);
  return page.lines.filter((line) => isStamp(line, page) && /\p{L}{4}/u.test(line.text) && isOwn(line));
}

const MOST_MEDICINES = 6;

/** A number with the beginning of a unit, or with a stroke, for a look at thousands of lines. */
const MEASURED = /\d ?[kgmnuµμliep%/]/i;

function medicinesOn({ lines }: PaperPage): Line[] {
  const found: Line[] = [];
  for (const line of lines) {
    const isOne =
      MEASURED.test(line.text) &&
      /\p{L}{4}/u.test(line.text) &&
      strengthsIn(line.text).some(({ isBare }) => !isBare);
    if (isOne) found.push(line);
    if (found.length === MOST_MEDICINES) break;
  }
  return found;
}

/** The finding of one wanted line: its places with the form that each is in. */
export interface ProductShown {
  name: string;
  line: WantedLine;
  strength: readonly Quantity[];
  places: readonly (Hit & { page: PaperPage; form: Form })[];
  /** Lines of other medicines, where its name is missing or only in part there. */
  instead: readonly Crop[];
}

export interface PaperForm {
  /** Null where annotations are all that the page says. */
  head: Crop | null;
  blocks: readonly { line: number; crops: readonly Crop[] }[];
  foot: Crop | null;
}

export interface Found {
  looks: readonly PageLook[];
  name: Name | null;
  products: readonly ProductShown[];
  forms: readonly PaperForm[];
  /** Stamps that no other piece shows: they may state anything. */
  stamps: readonly Crop[];
  /** YYYY-MM-DD */
  issued: DateFound | null;
  births: readonly DateFound[];
}

const MOST_BLOCKS = 3;

export function foundIn(looks: readonly PageLook[], wanted: WantedPaper): Found {
  const products = wanted.lines.map((line, index) => productShown(looks, line, index));
  const forms = paperForms(looks, products, wanted.born);
  const pieces = piecesOf({ forms, products, stamps: [] });
  return {
    looks,
    name: nameOf(wanted.customer),
    products,
    forms,
    stamps: looks.flatMap((look) => newStamps(look, pieces)),
    issued: issuedIn(looks),
    births: looks.flatMap(({ births }) => births),
  };
}

function productShown(looks: readonly PageLook[], line: WantedLine, index: number): ProductShown {
  const most = Math.max(0, ...looks.map(({ products }) => products[index]?.count ?? 0));
  const best = looks.filter(({ products }) => most > 0 && products[index]?.count === most);
  const places = best.flatMap(({ page, products, forms }) =>
    (products[index]?.hits ?? []).flatMap((hit) => {
      const form = formOf(forms, hit.line);
      return form ? [{ ...hit, page, form }] : [];
    }),
  );
  const isPart = best.length === 0 || best.every(({ products }) => products[index]?.isPart);
  const others = looks.flatMap(({ page, medicines }) =>
    medicines.filter((one) => !places.some((place) => place.line === one)).map((one) => ({ page, one })),
  );
  const instead = isPart ? others.slice(0, MOST_BLOCKS) : [];
  return {
    name: line.names[0] ?? '',
    line,
    strength: line.names.map(strengthOfName).find((strengths) => strengths.length > 0) ?? [],
    places,
    instead: instead.map(({ page, one }) => blockAround(page, one)),
  };
}

/** The form whose label is the last one above a line, and beside it the nearest. */
function formOf(forms: readonly Form[], { box }: Line): Form | undefined {
  const above = forms.filter(({ label, top }) => (label?.box.top ?? top) <= box.bottom);
  const key = ({ label, top }: Form): number => label?.box.top ?? top;
  const lowest = Math.max(...above.map(key));
  const away = ({ label }: Form): number => {
    const distance = box.left - (label?.box.left ?? 0);
    return distance >= -10 ? distance : 10_000;
  };
  const last = above.filter((form) => lowest - key(form) < 5).sort((one, other) => away(one) - away(other));
  return last[0] ?? forms[0];
}

/** Where no line was found, whose paper it is is still shown. */
function paperForms(
  looks: readonly PageLook[],
  products: readonly ProductShown[],
  born: string | null,
): PaperForm[] {
  const isEmpty = products.every(({ places }) => places.length === 0);
  const all = looks.flatMap((look) =>
    look.forms.flatMap((form): PaperForm[] => {
      const { page } = look;
      const head = headWithInk(form, look, born);
      const blocks = products.flatMap(({ places }, line) => {
        const chosen = places.slice(0, MOST_BLOCKS).filter((place) => place.form === form);
        const crops = withoutRepeats(chosen.map((place) => blockAround(page, place.line, place.boxes)));
        const shown = [...crops, ...(head ? [head] : [])];
        const headings = chosen.flatMap((place) => headingOf(page, place.line, shown) ?? []);
        const pieces = [...headings, ...crops.map(withInk)].sort((one, other) => one.box.top - other.box.top);
        const once = pieces.filter(({ key }, at) => pieces.findIndex((crop) => crop.key === key) === at);
        return once.length > 0 ? [{ line, crops: once }] : [];
      });
      if (blocks.length === 0 && !isEmpty) return [];
      if (!head && blocks.length === 0) return [];
      const crops = blocks.flatMap((block) => block.crops);
      const bottoms = [...(head ? [head] : []), ...crops].map(({ box }) => box.bottom);
      return [{ head, blocks, foot: footOf(form, Math.max(...bottoms) - page.usualSize) }];
    }),
  );
  return isEmpty ? all.slice(0, MOST_BLOCKS) : all;
}

function withInk(crop: Crop): Crop {
  return { ...crop, inks: [{ of: 'line', places: [crop.marks] }] };
}

/** Name and birth date speak against an alarm only where they are drawn. */
function headWithInk(form: Form, { names, births }: PageLook, born: string | null): Crop | null {
  const isIn = ({ line }: NameFound): boolean => line.box.top >= form.top && line.box.top < form.bottom;
  const marks = names.filter(isIn).flatMap(({ boxes }) => boxes);
  const head = headOf(form, marks);
  if (!head) return null;
  const isInHead = (boxes: readonly Mark[]): boolean => boxes.every((box) => isWithin(box, head.box));
  const days = births.filter((birth) => born === null || birth.days.includes(born));
  const inks: Ink[] = [
    { of: 'name', places: names.map(({ boxes }) => boxes).filter(isInHead) },
    { of: 'birth', places: days.map(({ mark }) => [mark]).filter(isInHead) },
  ];
  return { ...head, inks };
}

/** Those that no other piece shows. */
function newStamps({ page, forms, stamps }: PageLook, pieces: readonly Crop[]): Crop[] {
  if (stamps.length === 0) return [];
  const shown = [
    ...pieces.filter((crop) => crop.document === page.document && crop.page === page.number),
    ...forms.flatMap((form) => headOf(form) ?? []),
  ];
  const lines = stamps.filter((line) => !shown.some(({ box }) => isWithin(line.box, box)));
  return lines.slice(0, MOST_BLOCKS).map((line) => blockAround(page, line));
}

/** All that is shown besides the alarms. */
export function piecesOf({ forms, products, stamps }: Pick<Found, 'forms' | 'products' | 'stamps'>): Crop[] {
  const ofForms = forms.flatMap(({ head, blocks, foot }) => [
    head,
    ...blocks.flatMap(({ crops }) => crops),
    foot,
  ]);
  const ofProducts = products.flatMap(({ instead }) => instead);
  return [...ofForms, ...ofProducts, ...stamps].filter((crop) => crop !== null);
}

/** Two found lines of one block are one piece. */
function withoutRepeats(crops: readonly Crop[]): Crop[] {
  const kept: Crop[] = [];
  for (const crop of crops) {
    const at = kept.findIndex(({ box }) => crop.marks.every((mark) => isWithin(mark, box)));
    const same = kept[at];
    if (same) kept[at] = { ...same, marks: [...same.marks, ...crop.marks] };
    else kept.push(crop);
  }
  return kept;
}

function isWithin(one: Box, other: Box): boolean {
  return (
    one.top >= other.top &&
    one.bottom <= other.bottom + 1 &&
    one.left >= other.left &&
    one.right <= other.right + 1
  );
}

/** The oldest day of the first kind of label that the paper has. */
function issuedIn(looks: readonly PageLook[]): DateFound | null {
  const [kinds = []] = looks.map(({ issues }) => issues.map((_, kind) => kind));
  for (const kind of kinds) {
    const dates = looks.flatMap(({ issues }) => issues[kind] ?? []);
    const births = new Set(looks.flatMap((look) => look.births.map(({ written }) => written)));
    const own = dates.filter(({ written, days }) => days.length > 0 && !births.has(written));
    const [oldest] = own.sort((one, other) => ((one.days[0] ?? '') < (other.days[0] ?? '') ? -1 : 1));
    if (oldest) return oldest;
  }
  return null;
}

export function cropOfName(page: PaperPage, { boxes }: NameFound): Crop {
  return areaCrop(page, aroundAll(boxes), boxes);
}

/** Whether all places of a product say another strength, or another amount. */
export function isOtherStrength({ places, strength }: ProductShown): boolean {
  return places.length > 0 && places.every(({ line }) => differs(strength, line.text));
}

export function isOtherAmount({ places, line, name }: ProductShown): boolean {
  return places.length > 0 && places.every((place) => saysOtherAmount(place.line.text, name, line.quantity));
}
