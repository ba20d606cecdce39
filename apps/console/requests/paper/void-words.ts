import { excerpt, isSameWord, wordsOf } from './folding';
import { isOver, type Line, type PaperPage } from './page-lines';
import { isOfName, type Name, type NameFound } from './patient';

/** Words by which a paper states that it is not a prescription, or that a part of it does not count. Pure. */

/** They may be of another paper: "Reichen Sie eine Kopie ein". */
const NOUNS =
  'muster(?:-?(?:rezept|verordnung|exemplar|ausdruck))?|(?:(?:rezept|verordnungs|foto|fax|arzt|patienten)-?)?kopien?|(?:rezept-?)?entwue?rfe?|specimen|samples?|(?:photo)?cop(?:y|ies)|drafts?';
/** They may be under a condition: "Ungültig ohne Stempel". */
const VALIDITY = 'ungue?ltig(?:e[mnrs]?)?|nicht ?gue?ltig|void|invalid|not valid';
const OTHERS =
  'storniert(?:e[mnrs]?)?|storno|stornierung|nicht ?(?:mehr )?(?:ausgehae?ndigt|verordnet)|voided|cancell?ed|cancellation|not (?:dispensed|prescribed)';
const WORDS = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?:(?<noun>${NOUNS})|(?<validity>${VALIDITY})|${OTHERS})(?![\p{L}\p{N}-])`,
  'gu',
);

/** "Dies ist eine Kopie" speaks of this paper. */
const OF_ANOTHER =
  /(?<!(?:ist|is|nur|only) )(?<!\p{L})(?:k?ein(?:e[mnrs]?)?|a|an|the|d(?:er|ie|as|en|em|es)|ihre[r]?|unsere[r]?|als) $/u;
const CONDITION =
  /(?<!\p{L})(?:ohne|wenn|falls|sofern|nach|bei|ab|bis|without|unless|if|when|after)(?!\p{L})/u;
const NAMES = /^(?:muster|sample|specimen)$/;
const PERSON =
  /(?<!\p{L})(?:frau|herrn?|dr|med|prof|mr|mrs|ms|arzt|arztin|familie|praxis|apotheke|klinik|firma|gez)[. ]+(?:\p{L}+\.? )?$/u;
/** As in the number of a form, but not a date. */
const NUMBER = /^[ :]*(?:nr\.? ?)?\d(?!\d?[./-]\d{1,2}[./-]?\d|\d{3}-)/;

export interface VoidWord {
  line: Line;
  tone: 'red' | 'amber';
  /** The word with those around it. */
  text: string;
}

/** What may bear such a word as its name. */
interface Known {
  customer: Name | null;
  /** Where the page has the customer's name. */
  names: readonly NameFound[];
  /** The ordered products that a line is about. */
  productsOf: (line: Line) => readonly string[];
}

/** Size of letters, in usual letters, from which a word is a stamp, and below which it is small print. */
const LARGE = 1.5;
const SMALL = 0.85;

/** A part of each of the words, for a look at thousands of lines. */
const POSSIBLE = /muster|kopie|entwu|cimen|sample|cop(?:y|ie)|draft|ltig|void|valid|storn|nicht|not|cancel/;

export function voidWordsOn(page: PaperPage, known: Known): VoidWord[] {
  return page.lines.flatMap((line, at) => {
    const own = line.forms[0] ?? '';
    if (!POSSIBLE.test(own)) return [];
    const text = own + continued(page.lines, line, at);
    const isSmall = line.size < SMALL * page.usualSize;
    const isDrawn = isDrawnOver(line, page);
    const found = [...text.matchAll(WORDS)].find(
      (match) =>
        match.index < own.length &&
        !isNumber(match) &&
        !isName(match, line, known, isDrawn) &&
        (isStamp(line, page) || !isOfAnother(match, isSmall)),
    );
    if (!found) return [];
    const { index, groups } = found;
    const isCondition = groups?.['validity'] !== undefined && CONDITION.test(text);
    const isSentence = isSmall && groups?.['noun'] !== undefined && wordsOf(text).length > 1;
    const isFirst = wordsOf(text.slice(0, index)).length === 0 && !isCondition && !isSentence;
    const around = excerpt(line.text, index);
    return [{ line, tone: isStamp(line, page) || isFirst ? 'red' : 'amber', text: around }];
  });
}

/** Forms have small print along their edge. */
function isDrawnOver({ size, isTurned }: Line, { usualSize }: PaperPage): boolean {
  return size > LARGE * usualSize || (isTurned && size >= SMALL * usualSize);
}

/** Drawn across the page or large, or added to it. */
export function isStamp(line: Line, page: PaperPage): boolean {
  return line.origin === 'note' || isDrawnOver(line, page);
}

/** "nicht" goes on in the line below. */
function continued(lines: readonly Line[], line: Line, at: number): string {
  if (!/(?<!\p{L})(?:nicht|not)$/u.test(line.forms[0] ?? '')) return '';
  const { box, size } = line;
  const isNext = ({ box: { left, right, top } }: Line): boolean =>
    left < box.right && right > box.left && top > box.top + size / 2 && top < box.bottom + size;
  const next = line.origin === 'note' || line.isTurned ? lines[at + 1] : lines.find(isNext);
  return next ? ` ${next.forms[0]}` : '';
}

function isNumber({ 0: word, index, input, groups }: RegExpExecArray): boolean {
  return groups?.['noun'] !== undefined && NUMBER.test(input.slice(index + word.length));
}

/** It follows an article in running text. A line of nothing else speaks of this paper. */
function isOfAnother({ 0: word, index, input, groups }: RegExpExecArray, isSmall: boolean): boolean {
  const before = input.slice(0, index);
  if (groups?.['noun'] === undefined || !OF_ANOTHER.test(before)) return false;
  return isSmall || wordsOf(before + input.slice(index + word.length)).length > 1;
}

/** Of a person or a product. In the letters of a stamp, it is the customer's only with the whole name. */
function isName({ 0: word, index, input }: RegExpExecArray, line: Line, known: Known, isDrawn: boolean) {
  if (NAMES.test(word) && PERSON.test(input.slice(0, index))) return true;
  const hasWord = (name: string): boolean => wordsOf(name).some((one) => isSameWord(one, word));
  if (wordsOf(line.text).length > 1 && known.productsOf(line).some(hasWord)) return true;
  if (!isOfName(word, known.customer)) return false;
  const isWhole = ({ line: own, boxes }: NameFound): boolean =>
    own === line && boxes.every((box) => isOver(box, line.box));
  return !isDrawn || known.names.some(isWhole);
}
