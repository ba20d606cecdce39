import type { AnswerChange } from './answer-changes';

/**
 * The changes of an answer in words. One place for what a partner reads in `message` and what the review shows the pharmacist
 * before: a change of a sentence reaches both.
 */

export type AnswerLanguage = 'de' | 'en';

/** A message names so many; the others are in `changes`. */
const MAX_SENTENCES = 20;
/** Of a product or a name. */
const MAX_LETTERS = 100;

interface Words {
  line: (number: number) => string;
  addedAs: (number: number) => string;
  quantity: string;
  price: string;
  total: string;
  product: string;
  name: string;
  instead: (to: string, from: string) => string;
  added: (what: string) => string;
  removed: (what: string) => string;
  delivery: string;
  customer: string;
  nothing: string;
  more: (count: number) => string;
  money: (amount: number) => string;
}

const WORDS: Record<AnswerLanguage, Words> = {
  de: {
    line: (number) => `Position ${number}: `,
    addedAs: (number) => `Position ${number} des Auftrags: `,
    quantity: 'Menge',
    price: 'Preis',
    total: 'Gesamtbetrag',
    product: 'Produkt',
    name: 'Bezeichnung',
    instead: (to, from) => `${to} statt ${from}.`,
    added: (what) => `${what} ist neu.`,
    removed: (what) => `${what} entfällt.`,
    delivery: 'Die Lieferung wurde geändert.',
    customer: 'Die Angaben zur Person wurden geändert.',
    nothing: 'nichts',
    more: (count) => (count === 1 ? 'Dazu eine weitere Änderung.' : `Dazu ${count} weitere Änderungen.`),
    money: (amount) => `${amount.toFixed(2).replace('.', ',')} EUR`,
  },
  en: {
    line: (number) => `Line ${number}: `,
    addedAs: (number) => `Line ${number} of the order: `,
    quantity: 'quantity',
    price: 'price',
    total: 'Total',
    product: 'product',
    name: 'name',
    instead: (to, from) => `${to} instead of ${from}.`,
    added: (what) => `${what} was added.`,
    removed: (what) => `${what} was left out.`,
    delivery: 'The delivery was changed.',
    customer: "The customer's data were changed.",
    nothing: 'nothing',
    more: (count) => (count === 1 ? 'And one more change.' : `And ${count} more changes.`),
    money: (amount) => `${amount.toFixed(2)} EUR`,
  },
};

export function answerSentences(changes: readonly AnswerChange[], language: AnswerLanguage): string[] {
  const words = WORDS[language];
  const said = changes.slice(0, MAX_SENTENCES).map((change) => sentenceOf(change, words));
  const left = changes.length - said.length;
  return left === 0 ? said : [...said, words.more(left)];
}

function sentenceOf({ kind, line, from, to }: AnswerChange, words: Words): string {
  const text = (value: string | number | null): string =>
    value === null ? words.nothing : kind === 'price' ? words.money(Number(value)) : shortened(String(value));
  switch (kind) {
    case 'delivery':
    case 'customer':
      return words[kind];
    case 'added':
      return words.addedAs(line ?? 0) + words.added(text(to));
    case 'removed':
      return words.line(line ?? 0) + words.removed(text(from));
    default: {
      const instead = words.instead(text(to), text(from));
      return line === null ? `${words.total} ${instead}` : `${words.line(line)}${words[kind]} ${instead}`;
    }
  }
}

/** So that a message fits its limit. */
function shortened(text: string): string {
  const letters = [...text];
  return letters.length <= MAX_LETTERS ? text : `${letters.slice(0, MAX_LETTERS - 1).join('')}…`;
}
