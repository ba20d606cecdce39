/** What the text of a document says about a request. Pure comparison: the pharmacist judges. */

export interface Wanted {
  customerName: string | null;
  lines: readonly { name: string | null; quantity: number }[];
}

export interface Findings {
  /** The document has no text: it is a picture. */
  isScan: boolean;
  hasName: boolean;
  /** YYYY-MM-DD, when a date of issue was found. */
  issuedOn: string | null;
  /** Indexes of the lines whose medicine was found. */
  linesFound: readonly number[];
  /** Indexes of found lines whose amount was not. */
  amountsMissing: readonly number[];
  /** Of the prescriber, as it is written. */
  phone: string | null;
}

export function findingsIn(text: string, { customerName, lines }: Wanted): Findings {
  const plain = folded(text);
  const words = new Set(plain.split(/[^\p{L}\p{N}]+/u));
  const found = lines.flatMap(({ name }, index) => (hasMedicine(words, name) ? [index] : []));
  return {
    isScan: words.size < 5,
    hasName: hasName(words, customerName),
    issuedOn: issuedOn(text),
    linesFound: found,
    amountsMissing: found.filter((index) => !hasAmount(plain, lines[index]?.quantity ?? 0)),
    phone: /(?:Tel(?:efon)?\.?|Fon)\s*:?\s*(\+?[\d][\d ()/-]{5,20}\d)/i.exec(text)?.[1]?.trim() ?? null,
  };
}

/** Lower case without accents; ß and the two-letter forms of umlauts become one form. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/ae|oe|ue/g, (pair) => pair[0] ?? '');
}

/** Words of the name and of the medicines, wherever they stand in the text. */
export function foundWordsIn(text: string, { customerName, lines }: Wanted): { from: number; to: number }[] {
  const wanted = new Set([...nameParts(customerName), ...lines.flatMap(({ name }) => medicineParts(name))]);
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap(({ 0: word, index }) =>
    wanted.has(folded(word)) ? [{ from: index, to: index + word.length }] : [],
  );
}

const TITLES = new Set(['dr', 'prof', 'med', 'herr', 'frau', 'dipl', 'von', 'van', 'der', 'de', 'zu']);

/** Every part of the name stands in the document, in whatever order. */
function hasName(words: ReadonlySet<string>, name: string | null): boolean {
  const parts = nameParts(name);
  return parts.length > 0 && parts.every((part) => words.has(part));
}

/** The telling words of the product: not its pack size, nor what every product is called. */
function hasMedicine(words: ReadonlySet<string>, name: string | null): boolean {
  const telling = medicineParts(name);
  return telling.length > 0 && telling.every((part) => words.has(part));
}

function nameParts(name: string | null): string[] {
  return partsOf(name).filter((part) => part.length > 1 && !TITLES.has(part));
}

function medicineParts(name: string | null): string[] {
  return partsOf(name).filter((part) => part.length > 2 && !/^\d+(?:mg|ml|g|st)?$/.test(part));
}

function partsOf(name: string | null): string[] {
  return folded(name ?? '').split(/[^\p{L}\p{N}]+/u);
}

function hasAmount(plain: string, quantity: number): boolean {
  return new RegExp(
    `(?<![\\d.,])${quantity}(?:[.,]0+)?\\s*(?:g|gramm|st|stk|stuck|x|×|op|pack\\w*)(?!\\p{L})`,
    'u',
  ).test(plain);
}

const DATE = /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/g;
const ISSUED = /(?:ausgestellt|ausstellung\w*|datum)(.{0,160})/is;

/** The newest date after a word such as "Ausgestellt am", else the newest of all: a birthday is older. */
function issuedOn(text: string): string | null {
  const near = daysIn(ISSUED.exec(text)?.[1] ?? '');
  return (near.length > 0 ? near : daysIn(text)).sort().at(-1) ?? null;
}

function daysIn(text: string): string[] {
  return [...text.matchAll(DATE)].flatMap(([, day = '', month = '', year = '']) => {
    const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const time = new Date(`${written}T00:00:00Z`);
    return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(written) ? [] : [written];
  });
}
