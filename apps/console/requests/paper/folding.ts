/** Texts in the form in which they are compared. Pure. */

/** Not drawn, or drawn as nothing: they part no word. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]/gu;

/** Letters set apart, as in a heading. */
const SET_APART = /(?<![\p{L}\p{N}])\p{L}(?: \p{L}){3,}(?![\p{L}\p{N}])/gu;

/** Plain words, of which long documents have thousands. */
const PLAIN_WORD = /^[!-~]*$/;
const PLAIN = /^[ -~]*$/;

/** As it is drawn: one form of each letter, plain spaces, letters set apart joined. */
export function cleaned(text: string): string {
  if (PLAIN_WORD.test(text)) return text;
  const plain = text.normalize('NFC').replace(INVISIBLE, '').replaceAll(/\s/gu, ' ');
  // Words that are set apart may have wider spaces between them.
  return joined(joined(plain).replaceAll(/ +/g, ' '));
}

function joined(text: string): string {
  return text.replace(SET_APART, (word) => word.replaceAll(' ', ''));
}

/** Where each letter of a cleaned text was in the text before. */
export function lettersBefore(text: string, before: string): number[] {
  let next = 0;
  return text.split('').map((letter) => {
    while (next < before.length && !isCleaned(before.charAt(next), letter)) next += 1;
    next += 1;
    return next - 1;
  });
}

function isCleaned(before: string, letter: string): boolean {
  if (before === letter || (letter === ' ' && /\s/u.test(before))) return true;
  // NFC puts a letter and its accent into one.
  return letter > '\x7f' && before.normalize('NFD').charAt(0) === letter.normalize('NFD').charAt(0);
}

const MOST_QUOTED = 60;

/** A quotation: whole words, with the one that begins at `around`. */
export function excerpt(text: string, around = 0): string {
  const least = Math.max(0, Math.min(around - MOST_QUOTED / 2, text.length - MOST_QUOTED));
  const space = text.indexOf(' ', least) + 1;
  const from = least > 0 && space > 0 && space <= around ? space : least;
  const end = text.lastIndexOf(' ', from + MOST_QUOTED);
  const to = from + MOST_QUOTED >= text.length ? text.length : end > around ? end : from + MOST_QUOTED;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/**
 * Lower case without accents. A text with umlauts has two forms, ü as u and as ue: so Müller is Mueller and Muller, and
 * Bauer is not Baur.
 */
export function folded(text: string): readonly string[] {
  if (PLAIN.test(text)) return [text.toLowerCase()];
  const lower = text.toLowerCase().replaceAll('ß', 'ss');
  const plain = withoutAccents(lower);
  const spelt = withoutAccents(lower.replaceAll(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter));
  return plain === spelt ? [plain] : [plain, spelt];
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
}

/** The words of a text, without signs. */
export function wordsOf(text: string): string[] {
  return cleaned(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Whether two words are one, in some way of writing umlauts. */
export function isSameWord(one: string, other: string): boolean {
  const forms = folded(one);
  return folded(other).some((form) => forms.includes(form));
}

/** A text with its folded forms. */
export interface Folded {
  text: string;
  forms: readonly string[];
}

interface Place {
  from: number;
  to: number;
}

/** Where a word of the text begins like a folded word, or is its beginning. `isWhole`: it is the word. */
export function findWord({ text, forms }: Folded, word: readonly string[], isWhole = false): Place | null {
  for (const form of word)
    for (const [kind, inText] of forms.entries()) {
      const at = beginningIn(inText, form, isWhole);
      if (at < 0) continue;
      const from = unfolded(text, kind, at);
      const rest = /^[\p{L}\p{M}\p{N}-]*/u.exec(text.slice(from))?.[0].length ?? 0;
      return { from, to: from + Math.max(rest, Math.min(form.length, text.length - from)) };
    }
  return isWhole ? null : findBeginning({ text, forms }, word);
}

/** Where a place of a folded form is in its text: of some letters, folding makes two or none. */
function unfolded(text: string, kind: number, at: number): number {
  if (PLAIN.test(text)) return at;
  let [from, left] = [0, at];
  for (const letter of text) {
    const forms = folded(letter);
    left -= (forms[kind] ?? forms[0] ?? '').length;
    if (left < 0) break;
    from += letter.length;
  }
  return Math.min(from, text.length - 1);
}

/** Letters of a word that may be the beginning of another one. */
const LEAST_BEGINNING = 6;

/** Where a word of the text is only the beginning of a folded word: papers write a salt apart, or leave it out. */
function findBeginning({ text, forms }: Folded, word: readonly string[]): Place | null {
  const isPossible = (form: string): boolean =>
    form.length > LEAST_BEGINNING && forms.some((one) => one.includes(form.slice(0, LEAST_BEGINNING)));
  if (!word.some(isPossible)) return null;
  for (const { 0: own, index } of text.matchAll(/[\p{L}\p{M}]{6,}/gu))
    if (folded(own).some((one) => word.some((form) => form.startsWith(one))))
      return { from: index, to: index + own.length };
  return null;
}

function beginningIn(text: string, word: string, isWhole: boolean): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isBeginning = /(?:^|[^\p{L}\p{N}]|\d[x×])$/u.test(text.slice(Math.max(0, at - 2), at));
    if (isBeginning && !(isWhole && /^[\p{L}\p{N}]/u.test(text.slice(at + word.length)))) return at;
  }
  return -1;
}
