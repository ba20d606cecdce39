/**
 * What a person types, as a query of the words of rows: each word must begin a word of the row. 0001-schema.sql of
 * order-core folds the rows and parts their words in the same way. Names that are compared are folded less.
 */

/** Letters that have no decomposition in Unicode. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
};
const SHORT = { ...UNDECOMPOSED, æ: 'a', œ: 'o', ø: 'o' };
const SPELT = { ...UNDECOMPOSED, æ: 'ae', œ: 'oe', ø: 'oe' };
const LETTERS = new RegExp(`[${Object.keys(SHORT).join('')}]`, 'g');

function plain(text: string, letters: Readonly<Record<string, string>>): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(LETTERS, (letter) => letters[letter] ?? letter)
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * For searches, which may find too much: equal for texts that differ only in case, accents, Unicode form, white space, or ü
 * and ue. So Bauer and Baur are equal, too: it does not identify a person.
 */
export function searchFolded(text: string): string {
  return plain(text, SHORT).replaceAll('ae', 'a').replaceAll('oe', 'o').replaceAll('ue', 'u');
}

/** For names: ü is ue. Müller is Mueller and not Muller, Bauer is not Baur. */
export function nameFolded(name: string): string {
  return plain(name.normalize('NFKD').replaceAll(/([aou])\u0308/gi, '$1e'), SPELT);
}

/** Also for a name whose umlauts were written without their dots; false for empty names. */
export function isSameName(one: string, other: string): boolean {
  const [forms, others] = [one, other].map((name) => [plain(name, SHORT), nameFolded(name)]);
  return forms?.some((form) => form !== '' && others?.includes(form)) ?? false;
}

const MAX_WORDS = 10;
const MAX_LETTERS = 60;

/** The words of names, products and numbers, without their punctuation. */
export function wordsOf(text: string): string[] {
  return partsOf(searchFolded(text));
}

export function nameWordsOf(name: string): string[] {
  return partsOf(nameFolded(name));
}

function partsOf(folded: string): string[] {
  return folded.split(/[ ,;.()+/=":*#!?[\]{}<>|-]+/).filter((word) => word !== '');
}

interface Asked {
  orgId: string;
  q: string;
  /** Another form of a word, under which a row may have it. */
  otherForm?: (word: string) => string;
  /** Only words that end there, too. */
  isWhole?: boolean;
}

/**
 * SQL: `words` finds the row of `alias`. `due` finds rows whose words are not written yet. An array, so that the planner never
 * reads all rows of a list for it.
 */
export function foundSql(
  alias: string,
  words: string,
  query = '$',
  due: (query: string) => string = () => '',
): string {
  const asked = `${query}::tsquery`;
  return `${alias}.id = ANY (ARRAY(SELECT w.id FROM ${words} w WHERE w.words @@ ${asked}${due(asked)}))`;
}

/** Text of a tsquery; one that finds nothing when `q` has no words. */
export function wordsQuery({ orgId, q, otherForm, isWhole = false }: Asked): string {
  const scope = orgId.slice(-8);
  const lexeme = (word: string, ends: boolean): string => {
    const text = Array.from(word).slice(0, MAX_LETTERS).join('');
    return `'${scope}${text.replaceAll(/['\\]/g, '$&$&')}'${ends ? '' : ':*'}`;
  };
  const part = (word: string, ends: boolean): string =>
    otherForm ? `(${lexeme(word, ends)} | ${lexeme(otherForm(word), true)})` : lexeme(word, ends);
  /** An e-mail address is one word of the row, a number in parts several. */
  const asked = (typed: string): string => {
    const parts = wordsOf(typed);
    const parted = parts.map((word, index) => part(word, isWhole || index < parts.length - 1)).join(' & ');
    if (parts[0] === typed) return parted;
    return `(${[lexeme(typed, isWhole), ...(parted === '' ? [] : [parted])].join(' | ')})`;
  };
  const words = searchFolded(q).split(/[ ,;]+/);
  return words
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map(asked)
    .join(' & ');
}
