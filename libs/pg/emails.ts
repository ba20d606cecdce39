import { domainToASCII, domainToUnicode } from 'node:url';
import { folded } from './list-page';

/**
 * Comparison of e-mail addresses: those of equal keys are one mailbox. Columns hold an address as it was sent, so SQL compares
 * them with its forms.
 */

/**
 * Composed, in lower case, and the domain as DNS has it: bücher.de is xn--bcher-kva.de. Both small sigmas are one letter,
 * because ΣΑΣ may be written σας or σασ.
 */
export function emailKey(email: string): string {
  const [local, domain] = partsOf(email.trim().normalize('NFC'));
  const ascii = IS_ASCII.test(domain) ? '' : domainToASCII(domain);
  return local.toLowerCase().replaceAll('ς', 'σ') + (ascii || domain.toLowerCase());
}

/** SQL: whether the column holds the e-mail whose `formsOfEmail` are given. */
export function isSameEmail(column: string, forms: string): string {
  return `${folded(column)} = ANY (ARRAY(SELECT ${folded('form')} FROM unnest(${forms}::text[]) form))`;
}

/**
 * What may be stored of an e-mail: composed and decomposed, and in the usual cases, because `folded` knows few letters. None
 * of none.
 */
export function formsOfEmail(email: string | null): string[] {
  if (email === null) return [];
  const [local, domain] = partsOf(emailKey(email));
  const locals = [local, local.replace(LAST_SIGMA, 'ς')].flatMap(casesOf);
  const domains = [domain, domainToUnicode(domain) || domain].flatMap(casesOf);
  const forms = locals.flatMap((one) => domains.map((other) => one + other));
  return [...new Set([email, ...normalForms(email), ...forms])];
}

const IS_ASCII = /^\p{ASCII}*$/u;
/** Of a word. */
const LAST_SIGMA = /σ(?![\p{L}\p{M}])/gu;

/** The first part ends with the @. */
function partsOf(email: string): [local: string, domain: string] {
  const end = email.lastIndexOf('@') + 1;
  return [email.slice(0, end), email.slice(end)];
}

/** `folded` knows the cases of ASCII. */
function casesOf(lower: string): string[] {
  if (IS_ASCII.test(lower)) return [lower];
  const letters = Array.from(lower);
  const upper = letters.map(capitalOf);
  const capitalized = [...upper.slice(0, 1), ...letters.slice(1)];
  return [letters, upper, capitalized].flatMap((form) => normalForms(form.join('')));
}

function normalForms(text: string): string[] {
  return [text.normalize('NFC'), text.normalize('NFD')];
}

/** The letter itself where its capital is that of other letters, too, such as SS. */
function capitalOf(letter: string): string {
  const capital = letter.toUpperCase();
  return capital.toLowerCase() === letter ? capital : letter;
}
