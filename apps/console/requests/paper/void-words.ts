import { type Line, type PaperPage } from './page-lines';
import { isOfName, type Name } from './patient';

/** Words by which a paper states that it is not a prescription, or that a part of it does not count. Pure. */

const WORDS =
  /(?<![\p{L}\p{N}-])(?:ungultig(?:e[rsn]?)?|storniert(?:e[rsn]?)?|muster|kopie|entwurf|nicht (?:ausgehandigt|verordnet)|void|invalid|cancell?ed|specimen|sample|copy|draft|not (?:dispensed|prescribed))(?![\p{L}\p{N}-])/gu;
/** "Reichen Sie eine Kopie ein" speaks of another paper, "Dies ist eine Kopie" does not. */
const OF_ANOTHER =
  /(?<!(?:ist|is|nur|only) )(?<!\p{L})(?:eine[rn]?|a|an|the|der|die|ihre[r]?|unsere[r]?|keine|als) $/u;
const PERSON = /(?:frau|herrn?|dr|med|prof|mr|mrs|ms|arzt|arztin|familie)[. ]+(?:\p{L}+ )?$/u;
/** "Ohne Stempel ungültig" */
const CONDITION =
  /(?<!\p{L})(?:ohne|wenn|falls|sofern|nach|bei|ab|bis|without|unless|if|when|after)(?!\p{L})/u;
const NOUNS = /^(?:muster|kopie|entwurf|specimen|sample|copy|draft)$/;

export interface VoidWord {
  line: Line;
  tone: 'red' | 'amber';
}

/** Size of letters, in usual letters, from which a word is a stamp. */
const LARGE = 1.5;

export function voidWordsOn({ lines, usualSize }: PaperPage, name: Name | null): VoidWord[] {
  return lines.flatMap((line) => {
    const text = line.forms[0] ?? '';
    const found = [...text.matchAll(WORDS)].filter(({ 0: word, index }) => {
      const before = text.slice(0, index);
      const isNumbered = /^ ?\d/.test(text.slice(index + word.length));
      const isOther = NOUNS.test(word) && (OF_ANOTHER.test(before) || PERSON.test(before));
      return !isNumbered && !isOther && !isOfName(word, name);
    });
    const [first] = found;
    if (!first) return [];
    const isStamp = line.isTurned || line.origin === 'note' || line.size > LARGE * usualSize;
    const isFirst = !/[\p{L}\p{N}]/u.test(text.slice(0, first.index)) && !CONDITION.test(text);
    return [{ line, tone: isStamp || isFirst ? 'red' : 'amber' }];
  });
}
